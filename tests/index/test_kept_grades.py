"""Grades are kept between processes, bounded, and never in the way of an ingest."""

import sqlite3
import time
from contextlib import closing

import pytest
from openai_samples import BERLIN, PARIS, connect, grades, grading
from scripted_server import ScriptedServer, call

from rag.index.catalog import catalog_path
from rag.index.catalog import connect as open_catalog
from rag.index.local_store import LocalStore
from state.errors import NoIndexError, StorageError

KEYS = [f"{n:064x}" for n in range(1500)]


@pytest.fixture
def home(tmp_path):
    open_catalog(tmp_path, create=True).close()
    return tmp_path


def test_what_was_put_is_got_by_another_process_s_eyes(home):
    LocalStore(home).grades().put({KEYS[0]: "[true, null]", KEYS[1]: "old"})
    LocalStore(home).grades().put({KEYS[1]: "new"})
    LocalStore(home).grades().put({})
    assert LocalStore(home).grades().get(KEYS) == {KEYS[0]: "[true, null]", KEYS[1]: "new"}
    assert LocalStore(home).grades().get([]) == {}


def test_only_the_newest_are_kept(home, monkeypatch):
    monkeypatch.setattr("rag.index.kept_grades.MOST_KEPT", 10)
    kept = LocalStore(home).grades()
    for start in range(0, 30, 10):
        kept.put(dict.fromkeys(KEYS[start : start + 10], str(start)))
    assert sorted(kept.get(KEYS)) == KEYS[20:30]


def test_a_question_does_not_wait_for_a_writer(home):
    kept = LocalStore(home).grades()
    kept.put({KEYS[0]: "before"})
    with closing(sqlite3.connect(catalog_path(home), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        kept.put({KEYS[1]: "lost"})
        assert kept.get(KEYS[:2]) == {KEYS[0]: "before"}
        assert time.monotonic() - start < 20
        other.execute("ROLLBACK")


def test_no_catalog_and_a_broken_one_are_named(tmp_path):
    with pytest.raises(NoIndexError):
        LocalStore(tmp_path).grades().get(KEYS[:1])
    catalog_path(tmp_path).write_bytes(b"no database" * 100)
    with pytest.raises(StorageError):
        LocalStore(tmp_path).grades().put({KEYS[0]: "x"})


def test_the_engine_asks_once_for_what_is_kept(home):
    with ScriptedServer(call(grades(True, False))) as server:
        first = connect(server, cache=LocalStore(home).grades()).grade(grading(PARIS, BERLIN))
        again = connect(server, cache=LocalStore(home).grades()).grade(grading(PARIS, BERLIN))
        assert len(server.requests) == 1
    assert first.grades == again.grades
    assert again.warnings == ()
