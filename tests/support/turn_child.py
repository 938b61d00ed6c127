"""A writer of turns, for a process of its own."""

from multiprocessing.connection import Connection
from pathlib import Path

from turn_samples import open_turn_store, real_looking_answer


def append(home: str, url: str | None, name: str, count: int, told: Connection) -> None:
    """Once told to, append so many turns to the thread "shared"; tell the number of each."""
    told.send(0)
    told.recv()
    with open_turn_store(Path(home), url) as store:
        for turn in range(count):
            answer = real_looking_answer(turn)
            answer["question"] = f"{name} {turn}"
            told.send(store.append("shared", answer))
