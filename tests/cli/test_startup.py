from __future__ import annotations

import subprocess
import sys

import pytest
from crag import HIGH, ROOT, copied_home, environment

HEAVY = (
    "pydantic",
    "numpy",
    "langgraph",
    "langchain_core",
    "chromadb",
    "openai",
    "tiktoken",
    "rich",
)


MOST_LOADED, MOST_RUN = 114, 90
"""Modules of crag, and those of which a function runs. They may fall."""


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_import_no_model_store_or_graph(flag: str):
    code = (
        "import sys\n"
        "from cli.app import app\n"
        f"sys.argv = ['crag', {flag!r}]\n"
        "try:\n    app(prog_name='crag')\n"
        "except SystemExit as leaving:\n    assert not leaving.code, leaving.code\n"
        f"print('loaded:', *(name for name in {HEAVY!r} if name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert "crag" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_a_question_loads_no_more_of_the_program_than_it_did(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "support" / "own_modules.py"), "ask", HIGH],
        env=environment(copied_home(tmp_path)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    _, loaded, _, run = done.stderr.splitlines()[-1].split()
    assert int(loaded) <= MOST_LOADED
    assert int(run) <= MOST_RUN
