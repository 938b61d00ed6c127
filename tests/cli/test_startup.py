from __future__ import annotations

import subprocess
import sys

import pytest

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
