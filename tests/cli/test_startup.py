from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from cli.help_page import help_page
from cli.program import app

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


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_import_no_model_store_or_graph(flag: str):
    code = (
        "import sys\n"
        "from cli.program import app\n"
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


def test_the_page_of_all_commands_is_the_one_that_typer_makes():
    made = CliRunner().invoke(app, ["--help"], prog_name="crag", env={"COLUMNS": "200"})
    assert made.stdout == help_page()


@pytest.mark.parametrize(("columns", "whole"), [("", True), ("200", True), ("60", False)])
def test_only_where_it_has_no_room_is_the_page_made_anew(columns: str, whole: bool):
    code = (
        "import sys\n"
        "from cli.main import main\n"
        "sys.argv = ['crag', '-h']\n"
        "main()\n"
        "print('without typer:', 'typer' not in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "COLUMNS": columns},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    if whole:
        assert done.stdout == f"{help_page()}without typer: True\n"
    else:
        assert max(map(len, done.stdout.splitlines())) <= 60
        assert done.stdout.split() == help_page().split()
