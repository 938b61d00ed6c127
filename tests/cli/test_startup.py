import pytest
from bare_process import run_code
from crag import HIGH
from ingest_runs import home_of

pytestmark = pytest.mark.ci

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
CHOOSING = """from rag.opening import build_engine
from state.settings import Settings
settings = Settings(base_url="http://localhost:1/v1")
build_engine(settings, None)
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

STEPS = [
    (COMMAND.format("--help"), HEAVY),
    (COMMAND.format("--version"), HEAVY),
    (f"{EMBEDDER}identity", "tokenizers wordllama"),
    (INGESTING, "chromadb tokenizers rag.documents.registry pathspec rag.text.chunk"),
    ("import rag.graph", "chromadb langchain_openai openai"),
    (CHOOSING, "openai langchain_openai tiktoken"),
    (f"{EMBEDDER}embed_query('x')", "wordllama"),
    ("from state.tokens import count_tokens; count_tokens('a b')", "bpe_openai"),
]
"""What is done one after the other in a process, and what is not imported until then."""


@pytest.mark.parametrize(
    "steps",
    [STEPS, [(READING, "lxml pypdfium2 openpyxl langchain_community charset_normalizer numpy")]],
    ids=["most", "a file is read"],
)
def test_what_is_not_needed_is_not_imported(tmp_path, steps):
    home_of(tmp_path, {"a.md": "# Pumps\n\nThe pump runs.\n"})
    each = """import sys
given = sys.argv
for code, unneeded in {!r}:
    sys.argv = given
    exec(code)
    loaded = {{*unneeded.split()}} & {{*sys.modules}}
    assert not loaded, f"{{code}} imports {{loaded}}"
"""
    run_code(each.format(steps), tmp_path)


def test_a_question_loads_no_more_of_the_program_than_it_did(home):
    asking = ["ask", HIGH, "--home", str(home), "--engine", "local"]
    code = f"""import sys, threading
ran = set()
def note(frame, event, _):
    if frame.f_code.co_flags & 1:  # of a function, not of a module or class
        ran.add(frame.f_code.co_filename)
threading.settrace(note)
sys.settrace(note)
from cli.app import app
try:
    app({asking!r}, prog_name="crag")
except SystemExit as leaving:
    assert not leaving.code
sys.settrace(None)
names = [name for name in sys.modules if name.split(".")[0] in ("cli", "rag", "state")]
print(len(names), len({{sys.modules[name].__file__ for name in names}} & ran))
"""
    loaded, run = run_code(code).splitlines()[-1].split()
    assert int(loaded) <= MOST_LOADED
    assert int(run) <= MOST_RUN
