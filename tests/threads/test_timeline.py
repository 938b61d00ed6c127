"""The timeline of a thread lives in its checkpoint; the record of turns makes it anew."""

import pytest
from crag import HIGH
from sqlite_files import run_sql

from rag.session import open_session
from state.settings import load_settings

TURNS = 4


@pytest.fixture
def home(home):
    with open_session(load_settings({"home": home, "engine": "local"})) as session:
        for _ in range(TURNS):
            session.ask(HIGH, thread="t")
    return home


def asked_again(home, monkeypatch):
    """The turns that the checkpoint has after one more, and the numbers read from the record."""
    read = []
    with open_session(load_settings({"home": home, "engine": "local"})) as session:
        store, turn = session.memory.store, session.memory.store.turn
        monkeypatch.setattr(store, "turn", lambda t, number: read.append(number) or turn(t, number))
        session.ask(HIGH, thread="t")
        saver = session.memory.checkpoints.saver()
        (kept,) = saver.list({"configurable": {"thread_id": "t"}})
    timeline = kept.checkpoint["channel_values"]["timeline"]
    return [each["turn"] for each in timeline], sorted(set(read))


@pytest.mark.parametrize(
    ("loss", "read"),
    [
        ("select 1", []),
        ("delete from checkpoints", [1, 2, 3, 4]),
        ("update checkpoints set checkpoint = x'c1c1c1'", [1, 2, 3, 4]),
        ("update checkpoints set type = 'of another day'", [1, 2, 3, 4]),
    ],
)
def test_it_comes_from_the_checkpoint_or_is_made_anew(home, monkeypatch, loss, read):
    run_sql(home / "home.db", loss)
    assert asked_again(home, monkeypatch) == ([1, 2, 3, 4, 5], read)


def test_of_an_old_checkpoint_what_it_lacks_is_read(home, monkeypatch):
    (old,) = run_sql(home / "home.db", "select checkpoint from checkpoints")
    asked_again(home, monkeypatch)
    monkeypatch.undo()
    run_sql(home / "home.db", "update checkpoints set checkpoint = ?", *old)
    assert asked_again(home, monkeypatch) == ([1, 2, 3, 4, 5, 6], [5])
