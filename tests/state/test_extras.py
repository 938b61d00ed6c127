"""What an extra brings is named where it is missing; with it the command goes on."""

import os
import sys

import pytest
from bare_process import finished, without

from state.extras import usable_cores

URL = "postgresql://u@127.0.0.1:1/d"


@pytest.mark.parametrize(
    ("words", "module", "extra"),
    [
        (["ask", "Who?", "-t", "x", "--threads", URL], "psycopg", "postgres"),
        (["threads", "list", "--threads", URL], "langgraph.checkpoint.postgres", "postgres"),
        (["mcp"], "mcp", "mcp"),
    ],
)
def test_the_extra_is_named_where_it_is_missing(home, words, module, extra):
    code = f"{without(module)}from cli.main import main\nmain()\n"
    environment = {**os.environ, "CRAG_HOME": str(home), "CRAG_ENGINE": "local"}
    done = finished([sys.executable, "-c", code, *words], env=environment, input="")
    assert done.returncode == 4, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert f"pip install '.[{extra}]' in crag's clone" in line
    assert "Traceback" not in line


def test_where_no_affinity_is_known_all_cores_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.delattr(os, "sched_getaffinity")
    assert usable_cores() == os.cpu_count()
