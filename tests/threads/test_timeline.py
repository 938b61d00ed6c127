"""The timeline of a thread lives in its checkpoint; the record of turns makes it anew."""

import sqlite3
from contextlib import closing

import pytest
from ingest_runs import session_of

from rag.session import open_session
from state.settings import load_settings

QUESTION = "How long is the Corbel Tunnel?"
TURNS = 4


@pytest.fixture
def home(tmp_path):
    line = "# Line\n\nThe Corbel Tunnel is 1,204 metres long.\n"
    with session_of(tmp_path, {"line.md": line}) as session:
        for _ in range(TURNS):
            session.ask(QUESTION, thread="t")
    return tmp_path / "home"


def execute(home, statement):
    with closing(sqlite3.connect(home / "home.db")) as db, db:
        db.execute(statement)


def asked_again(home, monkeypatch):
    """The turns that the checkpoint has after one more, and the numbers read from the record."""
    read = []
    with open_session(load_settings({"home": home, "engine": "local"})) as session:
        store, turn = session.memory.store, session.memory.store.turn
        monkeypatch.setattr(store, "turn", lambda t, number: read.append(number) or turn(t, number))
        session.ask(QUESTION, thread="t")
        saver = session.memory.checkpoints.saver()
        (kept,) = saver.list({"configurable": {"thread_id": "t"}})
    timeline = kept.checkpoint["channel_values"]["timeline"]
    return [each["turn"] for each in timeline], sorted(set(read))


def test_it_comes_from_the_checkpoint(home, monkeypatch):
    assert asked_again(home, monkeypatch) == ([1, 2, 3, 4, 5], [])


@pytest.mark.parametrize(
    "loss",
    [
        "delete from checkpoints",
        "update checkpoints set checkpoint = x'c1c1c1'",
        "update checkpoints set type = 'of another day'",
    ],
)
def test_a_checkpoint_that_is_lost_or_unreadable_is_made_anew(home, monkeypatch, loss):
    execute(home, loss)
    assert asked_again(home, monkeypatch) == ([1, 2, 3, 4, 5], [1, 2, 3, 4])


def test_of_an_old_checkpoint_what_it_lacks_is_read(home, monkeypatch):
    with closing(sqlite3.connect(home / "home.db")) as db:
        (old,) = db.execute("select checkpoint from checkpoints").fetchall()
    asked_again(home, monkeypatch)
    monkeypatch.undo()
    with closing(sqlite3.connect(home / "home.db")) as db, db:
        db.execute("update checkpoints set checkpoint = ?", old)
    assert asked_again(home, monkeypatch) == ([1, 2, 3, 4, 5, 6], [5])
