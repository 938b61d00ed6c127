"""A home with a small collection for the tests of conversations, and `crag` run in it."""

from __future__ import annotations

import os
from pathlib import Path

import pexpect
from forked_program import crag_program
from ingest_runs import Library
from typer.testing import CliRunner, Result

from cli.program import app

ROOT = Path(__file__).parents[2]
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m"

FILES = {
    "byzantium.md": "# Byzantine Empire\n\nThe Byzantine Empire was the continuation of the Roman "
    "Empire in the east. Its capital was Constantinople.\n\nThe religion of the Byzantine Empire "
    "was Eastern Orthodox Christianity. Its last emperor was Constantine XI Palaiologos, who died "
    "in 1453.\n",
    "viaduct.md": "# Gillfoot Viaduct\n\nThe Gillfoot Viaduct is 31 metres high and has nine "
    "arches. It was built of granite in 1896.\n\nThe Gillfoot Viaduct is 212 metres long.\n",
    "fares.md": "# Fares\n\nA return ticket for an adult costs 24 crowns. A return ticket for a "
    f"child costs 9 crowns. {HOSTILE}Dogs travel free of charge.\n",
}


def make_home(folder: Path) -> Path:
    """A CRAG_HOME in `folder` whose default collection holds FILES."""
    documents = folder / "documents"
    documents.mkdir()
    for name, text in FILES.items():
        (documents / name).write_text(text, encoding="utf-8")
    Library(folder / "home").ingest(documents)
    return folder / "home"


def environment(home: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "CRAG_HOME": str(home),
        "CRAG_ENGINE": "local",
        "PYTHONPATH": str(ROOT),
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "TERM": "xterm",
        **more,
    }


def crag(home: Path, *words: str, stdin: str = "") -> Result:
    """A finished run of `crag` in this process, which spares it the start."""
    more = {"CRAG_HOME": str(home), "CRAG_ENGINE": "local"}
    return CliRunner().invoke(app, words, input=stdin, env=more)


def chat_in_terminal(home: Path, *words: str, **more: str) -> pexpect.spawn:
    """`crag chat` in a pseudo-terminal of its own, at its first prompt."""
    child = pexpect.spawn(
        crag_program(),
        ["chat", *words],
        env=environment(home, **more),
        encoding="utf-8",
        codec_errors="replace",  # an echoed ^C may split a character
        timeout=120,
        dimensions=(40, 120),
    )
    prompted(child)
    return child


# How the prompt takes the terminal, before it is drawn, and gives it back. What is typed between
# the two is a line; a Ctrl-D that comes sooner is lost.
_TAKEN, GIVEN_BACK = "\x1b[?2004h", "\x1b[?2004l"


def prompted(child: pexpect.spawn) -> str:
    """Wait until the prompt reads; what was shown before it."""
    child.expect_exact(_TAKEN)
    shown = child.before
    child.expect_exact("crag>")
    return shown


def entered(child: pexpect.spawn, line: str) -> None:
    """Type the line, and wait until the prompt has taken it: what it was drawn of is past."""
    child.send(line + "\r")
    child.expect_exact(GIVEN_BACK)
