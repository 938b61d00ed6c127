"""Damaged files beside the catalog: doctor finds them, its repair leaves what is whole."""

import sqlite3
from contextlib import closing

import pytest
from row_damage import unwatched
from turn_samples import make_answer, real_looking_answer

from rag.doctor.databases import DATABASES, check_database
from rag.doctor.salvage import salvage_databases
from rag.research.journal import Journal
from state.errors import StoreBusyError
from state.threads_sqlite import SqliteTurnStore
from state.trace_store import TraceStore

THREADS, _, TRACES, RESEARCH = DATABASES


def check(home, database):
    return check_database(home / database.file, database)


def repair(home, database):
    """What is told; the file is sound afterwards."""
    assert check(home, database).hint == "crag doctor --repair"
    told = []
    salvage_databases(home, told.append)
    assert check(home, database).ok
    return "\n".join(told)


def turns(home):
    with SqliteTurnStore(home / THREADS.file) as store:
        return {
            (thread.name, turn.number): turn
            for thread in store.threads()
            for turn in store.turns(thread.name)
        }


@pytest.fixture
def home(tmp_path):
    with SqliteTurnStore(tmp_path / THREADS.file) as store:
        for seed in range(12):
            store.append(f"thread {seed % 3}", real_looking_answer(seed))
    return tmp_path


def pages(home, database=THREADS):
    with closing(sqlite3.connect(home / database.file)) as db:
        (size,) = db.execute("pragma page_size").fetchone()
    return size, (home / database.file).stat().st_size // size


def overwrite(path, place, data):
    with path.open("r+b") as file:
        file.seek(place)
        file.write(data)


def test_whichever_page_is_lost_the_rows_of_the_others_are_kept(home):
    sound, data = turns(home), (home / THREADS.file).read_bytes()
    size, count = pages(home)
    losses = []
    for page in range(count):
        (home / THREADS.file).write_bytes(data)
        overwrite(home / THREADS.file, page * size, bytes([page % 256 | 1]) * size)
        if not check(home, THREADS).ok:
            repair(home, THREADS)
        kept = turns(home)
        assert kept.items() <= sound.items()
        losses.append(len(sound) - len(kept))
    assert losses[0] == 0  # the header and the schema
    assert max(losses) <= 4  # turns that begin on one page
    assert sum(losses) < 4 * len(sound)


@pytest.mark.parametrize("place", [0, 17, 20, 30, 47, 53, 59, 100, 104, 107])
def test_a_byte_of_the_header_costs_no_row(home, place):
    sound = turns(home)
    overwrite(home / THREADS.file, place, b"\xa7")
    if not check(home, THREADS).ok:
        assert "12 rows of turns (none lost)" in repair(home, THREADS)
    assert turns(home) == sound


def test_of_a_file_that_is_all_damaged_a_working_one_is_left_and_it_is_set_aside(home):
    path = home / THREADS.file
    path.write_bytes(bytes(range(256)) * 80)
    told = repair(home, THREADS)
    assert f"0 rows of turns (none lost); the damaged file is {path}.damaged" in told
    assert path.with_name("threads.db.damaged").read_bytes() == bytes(range(256)) * 80
    assert turns(home) == {}
    path.write_bytes(b"again" * 999)
    assert "threads.db.damaged1" in repair(home, THREADS)


@pytest.mark.parametrize("column", ["created_at", "milestone", "n", "thread_id"])
def test_a_bit_of_a_turn_beside_its_text_is_found(home, column):
    sound = turns(home)
    with unwatched(home / THREADS.file, "turns") as db:
        db.execute(f"update turns set {column} = {column} | 1 << 50 where id = 5")
    assert check(home, THREADS).detail == "threads.db: 1 damaged row of turns"
    assert "11 rows of turns (1 lost)" in repair(home, THREADS)
    assert sound.keys() - turns(home).keys() == {("thread 1", 2)}


def test_a_thread_whose_own_row_is_lost_is_named_by_its_turns(home):
    sound = turns(home)
    with unwatched(home / THREADS.file, "threads") as db:
        db.execute("update threads set name = 'thrEad 1' where name = 'thread 1'")
    assert check(home, THREADS).detail == "threads.db: 1 damaged row of threads"
    repair(home, THREADS)
    assert turns(home) == sound
    with SqliteTurnStore(home / THREADS.file) as store:
        assert store.append("thread 1", make_answer()) == 5


def test_a_file_that_is_being_written_is_left_alone(home, monkeypatch):
    monkeypatch.setattr("state.sqlite_file.BUSY_SECONDS", 0.1)
    with unwatched(home / THREADS.file, "turns") as db:
        db.execute("update turns set milestone = 9 where id = 5")
    before = (home / THREADS.file).read_bytes()
    with closing(sqlite3.connect(home / THREADS.file, isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(StoreBusyError):
            salvage_databases(home, print)
    assert (home / THREADS.file).read_bytes() == before


@pytest.mark.parametrize("column", ["question", "status", "thread", "created_at", "kind"])
def test_a_bit_of_a_trace_beside_its_body_is_found(tmp_path, column):
    with TraceStore(tmp_path) as store:
        for name in ("a", "b", "c"):
            store.keep(name, [], make_answer(f"Which {name}?", thread="one"))
    with unwatched(tmp_path / TRACES.file, "traces") as db:
        db.execute(f"update traces set {column} = 'x' || {column} where id = 'b'")
    assert check(tmp_path, TRACES).detail == "traces.db: 1 damaged row of traces"
    assert "2 rows of traces (1 lost)" in repair(tmp_path, TRACES)
    with TraceStore(tmp_path) as store:
        assert [row["trace_id"] for row in store.summaries()] == ["c", "a"]


@pytest.mark.parametrize("page", range(1, 14))
def test_a_journal_loses_no_more_than_a_page(tmp_path, page):
    start = {"asked": "How long?", "question": "How long is it?", "flags": {}}
    with Journal(tmp_path) as journal:
        for run in ("one", "two"):
            journal.start(run, start)
            journal.keep_plan(run, 1, [{"id": "a"}], {"llm_calls": 0})
            journal.warn(run, "slow")
    size, count = pages(tmp_path, RESEARCH)
    assert page < count
    overwrite(tmp_path / RESEARCH.file, page * size, b"\xff" * size)
    repair(tmp_path, RESEARCH)
    with Journal(tmp_path) as journal:
        kept = [len(journal.unfinished()), journal.plan("one", 1) is not None]
        kept.append(journal.warnings("two") == ["slow"])
    assert sum(map(bool, kept)) >= 2
    assert {run["run_id"] for run in Journal(tmp_path).unfinished()} in ({"one", "two"}, set())
