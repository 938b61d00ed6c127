"""A file of the home that another process is making at this moment is waited for."""

import sqlite3
from contextlib import closing
from threading import Timer

import pytest

from rag.index import catalog
from rag.research.journal import JOURNAL_FILE, Journal
from state.checkpoints import CHECKPOINTS_FILE
from state.checkpoints_sqlite import SqliteCheckpoints
from state.sqlite_file import create_private
from state.trace_store import TRACES_FILE, TraceStore


def catalog_connection(home):
    catalog.connect(home, create=True).close()


def checkpoints(home):
    with SqliteCheckpoints(home / CHECKPOINTS_FILE) as made:
        made.saver()


def traces(home):
    with TraceStore(home) as store:
        assert list(store.summaries(limit=1)) == []


def research(home):
    with Journal(home) as journal:
        assert journal.unfinished() == []


OPENED = {
    catalog.FILE_NAME: catalog_connection,
    CHECKPOINTS_FILE: checkpoints,
    TRACES_FILE: traces,
    JOURNAL_FILE: research,
}


@pytest.mark.parametrize("name", OPENED)
def test_a_new_file_that_another_connection_writes_is_waited_for(tmp_path, name):
    create_private(tmp_path / name)
    with closing(
        sqlite3.connect(tmp_path / name, isolation_level=None, check_same_thread=False)
    ) as other:
        other.execute("begin immediate")
        letting_go = Timer(0.3, other.rollback)
        letting_go.start()
        try:
            OPENED[name](tmp_path)
        finally:
            letting_go.join()
    with closing(sqlite3.connect(tmp_path / name)) as db:
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)
