"""langchain-community may be missing: all works but its reader of CSV."""

from __future__ import annotations

import json
import os
from pathlib import Path

from bare_process import run_code, without

ROOT = Path(__file__).parents[2]
PROSE = "The points at the north end are heated from October on, by gas, and looked at daily. " * 6
COMMANDS = """
import json
import sys
from typer.testing import CliRunner
from cli.app import app
for words in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (words, done.stderr, done.exception)
    print(json.dumps(done.stdout))
"""


def test_every_command_works_and_only_csv_files_of_prose_are_read_otherwise(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "faq.csv").write_text(f'question,answer\nHeating?,"{PROSE}"\nMore?,"{PROSE} Also."\n')
    (files / "fares.csv").write_text("station,fare\nOsmer,12\nLangrigg,19\n")
    (files / "line.md").write_text("# The line\n\nThe railway opened on 14 June 1897.\n")
    path = tmp_path / "path"
    path.mkdir()
    (path / "sitecustomize.py").write_text(
        without("langchain_community")
    )  # in the workers of an ingest too
    commands = [
        ["ingest", str(files), "--json"],
        ["ask", "On what date did the railway open?", "-t", "x"],
        ["ask", "What is the fare of Langrigg?"],
        ["search", "points heated in October", "--json"],
        *(["trace"], ["status"], ["threads", "show", "x"], ["graph"]),
    ]
    variables = {"CRAG_HOME": str(tmp_path / "home"), "CRAG_ENGINE": "local"}
    variables["PYTHONPATH"] = f"{path}{os.pathsep}{ROOT}"
    printed = run_code(COMMANDS, json.dumps(commands), folder=ROOT, **variables)
    said = [json.loads(line) for line in printed.splitlines()]
    report, (hit, *_) = json.loads(said[0]), json.loads(said[3])["results"]
    assert (report["added"], report["failed"]) == (3, [])
    reasons = [each["reason"] for each in report["warnings"]]
    assert ["langchain-community is not installed" in each for each in reasons] == [True]
    assert "1897" in said[1]
    assert "19" in said[2]
    assert hit["source"] == "faq.csv"
    assert "answer: The points" not in hit["text"]
