from __future__ import annotations

import subprocess
import sys

import pytest
from bare_process import run_code
from crag import HIGH, ROOT, copied_home, environment
from ingest_runs import home_of

HEAVY = "pydantic numpy langgraph langchain_core chromadb openai tiktoken rich"


MOST_LOADED, MOST_RUN = 115, 90
"""Modules of crag, and those of which a function runs. They may fall."""


COMMAND = """from cli.app import app
sys.argv = ["crag", {!r}]
try:
    app(prog_name="crag")
except SystemExit as leaving:
    assert not leaving.code
"""
CHOOSING = """from rag.opening import build_engine, choose_engine
from state.settings import Settings
settings = Settings(base_url="http://localhost:1/v1")
build_engine(choose_engine(settings).name, settings, None)
"""
READING = """from pathlib import Path
from rag.documents.registry import open_document
with open_document(Path(sys.argv[1], "files", "a.md")) as stream:
    list(stream.parts)
"""
INGESTING = """from pathlib import Path
from ingest_runs import Library
assert Library(Path(sys.argv[1], "home")).ingest(Path(sys.argv[1], "files")).unchanged == 1
"""
EMBEDDER = "from rag.embed.builtin import BuiltinEmbedder; BuiltinEmbedder()."


@pytest.mark.parametrize(
    ("code", "unneeded"),
    [
        (COMMAND.format("--help"), HEAVY),
        (COMMAND.format("--version"), HEAVY),
        ("import rag.graph", "chromadb langchain_openai openai"),
        (CHOOSING, "openai langchain_openai tiktoken"),
        (READING, "lxml pypdf openpyxl langchain_community charset_normalizer numpy"),
        (INGESTING, "chromadb tokenizers rag.documents.registry pathspec rag.text.chunk"),
        ("from state.tokens import count_tokens; count_tokens('a b')", "bpe_openai"),
        (f"{EMBEDDER}identity", "tokenizers wordllama"),
        (f"{EMBEDDER}embed_query('x')", "wordllama"),
    ],
)
def test_what_is_not_needed_is_not_imported(tmp_path, code, unneeded):
    home_of(tmp_path, {"a.md": "# Pumps\n\nThe pump runs.\n"})
    after = f"print('loaded:', *sorted(set({unneeded.split()!r}) & set(sys.modules)))"
    printed = run_code(f"import sys\n{code}\n{after}", tmp_path)
    assert printed.splitlines()[-1] == "loaded:"


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
