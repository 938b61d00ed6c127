"""Finished turns for tests: whole answers with as much or as little text as asked for."""

import random
from pathlib import Path
from string import ascii_lowercase
from types import SimpleNamespace
from typing import Any

from rag.dependencies import new_answer
from state.answer import Answer
from state.home_db import HomeDb
from state.passages import HistoryTurn, to_history_turn
from state.postgres import TeamDb
from state.settings import Settings
from state.turn_store import Clock, TurnStore, utc_now


def open_database(home: Path, url: str | None = None) -> HomeDb | TeamDb:
    return HomeDb(home) if url is None else TeamDb(url)


def open_turn_store(home: Path, url: str | None = None, clock: Clock = utc_now) -> TurnStore:
    return TurnStore(open_database(home, url), clock)


def make_answer(
    question: str = "What is kept?", answer: str = "Everything. [1]", **other
) -> Answer:
    engine: Any = SimpleNamespace(name="local", model=None)
    made = new_answer(question, engine, Settings(max_loops=3), None, "0" * 26, {})
    known: Answer = {**made, "status": "answered", "answer": answer, "timings_ms": {"total": 12.5}}
    known.update(other)
    return known


def history_turn(question: str, answer: str = "", number: int = 1) -> HistoryTurn:
    """What is shown of a turn to those after it."""
    return to_history_turn(make_answer(question, answer), number, milestone=False)


def random_answer(seed: int, text_bytes: int = 1500) -> Answer:
    """A turn whose question and answer have `text_bytes` together, with a loop of graded chunks."""
    rng = random.Random(seed)

    def said(length: int) -> str:
        return "".join(rng.choices(ascii_lowercase + " ", k=length))

    named = [f"{rng.getrandbits(64):016x}" for _ in range(4)]
    chunks = [{"chunk_id": name, "score": rng.random(), "relevant": True} for name in named]
    loops = [{"loop": 0, "query": said(60), "new_chunks": 4, "chunks": chunks}]
    return make_answer(said(80), said(text_bytes - 80), loops=loops)
