"""A file of the home that another process is making at this moment is waited for."""

import sqlite3
from contextlib import closing
from threading import Timer

import pytest
from turn_samples import open_turn_store

from rag.index.home import catalog
from state.home_db import HOME_FILE
from state.sqlite_file import create_private


def catalog_connection(home):
    catalog.Catalog(home).connected().close()


def turns(home):
    with open_turn_store(home) as store:
        assert store.threads() == []


@pytest.mark.parametrize("opened", [catalog_connection, turns])
def test_a_new_file_that_another_connection_writes_is_waited_for(tmp_path, opened):
    path = tmp_path / (catalog.FILE_NAME if opened is catalog_connection else HOME_FILE)
    create_private(path)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("begin immediate")
        letting_go = Timer(0.3, other.rollback)
        letting_go.start()
        try:
            opened(tmp_path)
        finally:
            letting_go.join()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)
