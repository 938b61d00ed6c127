"""A research run in a process of its own, forked from a server that has everything imported."""

import json
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

# What a run imports as it goes on is imported here, once, so that no kill is spent on it.
import chromadb  # noqa: F401
import langgraph.checkpoint.sqlite  # noqa: F401
import tokenizers  # noqa: F401
from research_scripted import ScriptedResearcher

import rag.embed.builtin
import rag.engines.local.answer
import rag.engines.local.grade
import rag.engines.local.rewrite  # noqa: F401
from rag.research.run import Research
from state.errors import UsageError
from state.settings import load_settings

SCRIPTED = "What came of it?"
"""A question of four rounds, which nothing is searched for."""


def run(home: Path, question: str, log: Path, started: Connection) -> None:
    """Go on with the home's last run, or start one; each event is a line of `log`."""
    scripted = ScriptedResearcher(2, enough=8) if question == SCRIPTED else None
    settings = load_settings({"home": home, "engine": "local"})
    with Research(settings, researcher=scripted) as research, log.open("a", buffering=1) as lines:

        def emit(event: dict[str, Any]) -> None:
            lines.write(json.dumps(event) + "\n")

        started.send(True)
        try:
            report = research.resume("last", emit=emit)
        except UsageError:
            report = research.start(question, emit)
        emit({"event": "report", "report": report})


def events_of(log: Path) -> list[dict[str, Any]]:
    """The events that were written whole."""
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text().splitlines() if line.endswith("}")]
