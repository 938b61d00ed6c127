"""The sample corpus and a hostile file, ingested, and questions asked of them."""

from __future__ import annotations

from pathlib import Path

from ingest_runs import Library

from rag.session import open_session
from state.answer import Answer
from state.choices import EngineName
from state.settings import Settings

SAMPLES = Path(__file__).parents[2] / "sample_corpus"
HOSTILE_FILE = "# <script>alert(1)</script>\n\nThe <b>stoker</b> of engine No. 4 is Ada Holm.\n"
ANSWERED = "How many parking spaces are there at Hollin Bridge?"
RESEARCHED = "How many parking spaces are there, and are dogs allowed in the museum?"
MISSPELT = "Who is the treasuer?"
UNKNOWN = "What is the capital of Mongolia?"
HOSTILE = "Who is the <b>stoker</b> of engine No. 4?"


def make_home(base: Path) -> Path:
    """A home in the folder, with the files ingested."""
    (base / "hostile.md").write_text(HOSTILE_FILE)
    Library(base / "home").ingest(SAMPLES, base / "hostile.md")
    return base / "home"


def local(home: Path, **more: object) -> Settings:
    """So few chunks a loop that MISSPELT finds nothing before its spelling is mended."""
    return Settings(**{"home": home, "engine": EngineName.LOCAL, "k": 3, **more})


def ask_all(home: Path, *questions: str, thread: str | None = None) -> list[Answer]:
    with open_session(local(home)) as session:
        return [session.ask(question, thread=thread) for question in questions]
