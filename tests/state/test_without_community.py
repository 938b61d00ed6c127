"""langchain-community may be missing: all works but its reader of CSV and its SearXNG client, and
with it these two do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from searx_server import SearxServer, running_searx

ROOT = Path(__file__).parents[2]
PROSE = "The points at the north end are heated from October on, by gas, and looked at daily. " * 6
FOUND = {"url": "https://example.org/m", "title": "Moons", "content": "Saturn has 146 moons."}
HIDDEN = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "langchain_community":
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Missing())
"""


@pytest.fixture(params=["with it", "without it"])
def crag(request, tmp_path):
    """`crag` in processes, workers included, that have the package or do not."""
    (tmp_path / "path").mkdir()
    if request.param == "without it":
        (tmp_path / "path" / "sitecustomize.py").write_text(HIDDEN)
    environment = {
        **os.environ,
        "CRAG_HOME": str(tmp_path / "home"),
        "CRAG_ENGINE": "local",
        "PYTHONPATH": f"{tmp_path / 'path'}{os.pathsep}{ROOT}",
    }

    def run(*words, code=0):
        done = subprocess.run(
            [sys.executable, "-m", "cli", *words],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    run.has_it = request.param == "with it"
    return run


def test_every_command_works_and_only_two_things_need_it(crag, tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "faq.csv").write_text(f'question,answer\nHeating?,"{PROSE}"\nMore?,"{PROSE} Also."\n')
    (files / "fares.csv").write_text("station,fare\nOsmer,12\nLangrigg,19\n")
    (files / "line.md").write_text("# The line\n\nThe railway opened on 14 June 1897.\n")
    report = json.loads(crag("ingest", str(files), "--json").stdout)
    assert (report["added"], report["failed"]) == (3, [])
    reasons = [each["reason"] for each in report["warnings"]]
    assert ["langchain-community is not installed" in each for each in reasons] == (
        [] if crag.has_it else [True]
    )
    assert "1897" in crag("ask", "On what date did the railway open?", "-t", "x").stdout
    assert "19" in crag("ask", "What is the fare of Langrigg?").stdout
    (hit, *_) = json.loads(crag("search", "points heated in October", "--json").stdout)["results"]
    assert hit["source"] == "faq.csv"
    assert ("answer: The points" in hit["text"]) == crag.has_it
    for words in (["trace"], ["status"], ["threads", "show", "x"], ["graph"]):
        crag(*words)
    with running_searx(SearxServer([FOUND])) as web:
        asked = ("ask", "How many moons does Saturn have?", "--web", "--json")
        words = [*asked, "--config", str(tmp_path / "web.toml")]
        (tmp_path / "web.toml").write_text(f'web_url = "{web.url}"\n')
        done = crag(*words, code=0 if crag.has_it else 4)
    if crag.has_it:
        assert json.loads(done.stdout)["citations"][0]["source"] == FOUND["url"]
    else:
        assert done.stderr.startswith("crag: --web needs langchain-community, which is not")
        assert done.stderr.count("\n") == 1
