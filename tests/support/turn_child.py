"""Conversations in processes of their own, forked from a server that has everything imported."""

from multiprocessing.connection import Connection
from pathlib import Path

import langgraph.checkpoint.sqlite  # noqa: F401 - imported so that no kill is spent on an import
from turn_samples import open_turn_store, random_answer

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


def append(home: str, url: str | None, name: str, count: int, told: Connection) -> None:
    """Once told to, append so many turns to the thread "shared"; tell the number of each."""
    told.send(0)
    told.recv()
    with open_turn_store(Path(home), url) as store:
        for turn in range(count):
            answer = random_answer(turn)
            answer["question"] = f"{name} {turn}"
            told.send(store.append("shared", answer))
