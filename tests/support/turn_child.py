"""A conversation in a process of its own, forked from a server that has everything imported."""

from __future__ import annotations

from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import langgraph.checkpoint.sqlite  # noqa: F401 - imported so that no kill is spent on an import
from forked import started

from rag.session import open_session
from state.settings import load_settings

QUESTIONS = (
    "How high is the Gillfoot Viaduct?",
    "And how long is it?",
    "Which moons does the planet Neptune have and who found Triton?",
)


def run(home: str, thread: str, told: Connection) -> None:
    """Ask for ever; tell the number of each turn once it is finished."""
    settings = load_settings({"home": Path(home), "engine": "local", "max_loops": 1})
    with open_session(settings) as session:
        told.send(0)
        number = 0
        while True:
            answer = session.ask(QUESTIONS[number % len(QUESTIONS)], thread=thread)
            number = answer["turn"]
            told.send(number)


def start(home: Path, thread: str) -> tuple[BaseProcess, Connection]:
    """A process that is about to ask, and where it tells of its turns."""
    return started(run, str(home), thread, daemon=True)
