import socket
import sqlite3
import zlib
from pathlib import Path

import pytest
from in_time import within
from ports import free_port
from sqlite_files import run_sql
from turn_samples import make_answer, open_turn_store, random_answer

from state.errors import RemoteStoreError, StorageError, StoreBusyError, UsageError
from state.home_db import HOME_SCHEMA
from state.postgres import server_address


def test_full_disk_loses_only_the_turn_that_did_not_fit(tmp_path):
    with open_turn_store(tmp_path) as store:
        store.append("a", make_answer())
        store._database._connection.execute("pragma max_page_count = 30")
        with pytest.raises(StorageError, match="disk is full"):
            any(store.append("a", random_answer(seed, 4000)) == 60 for seed in range(60))
        store._database._connection.execute("pragma max_page_count = 99999")
        kept = [turn.number for turn in store.turns("a")]
        assert kept == list(range(1, len(kept) + 1))
        assert store.append("a", make_answer()) == len(kept) + 1


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:30_000]), "damaged"),
        (lambda path: path.write_bytes(b"not a database at all " * 200), "damaged"),
        (lambda path: run_sql(path, f"pragma user_version = {HOME_SCHEMA + 1}"), "a newer crag"),
    ],
)
def test_a_file_that_is_damaged_or_of_another_is_left_for_its_owner(tmp_path, damage, said):
    path = tmp_path / "home.db"
    with open_turn_store(tmp_path) as store:
        for seed in range(40):
            store.append("a", random_answer(seed))
    damage(path)
    before = path.read_bytes()
    with open_turn_store(tmp_path) as store:
        with pytest.raises(StorageError, match=said):
            list(store.turns("a"))
        with pytest.raises(StorageError, match=said):
            store.append("a", make_answer())
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "changed",
    [
        lambda body: body[:50] + bytes([body[50] ^ 0xFF]) + body[51:],
        lambda body: body[:-9],
        lambda body: body[:-2],
        lambda _body: zlib.compress(bytes((1 << 26) + 1)),
        lambda _body: zlib.compress(b"no JSON"),
    ],
)
def test_a_damaged_turn_is_named(tmp_path, changed):
    with open_turn_store(tmp_path) as store:
        store.append("a", make_answer("whole"))
        store.append("b", random_answer(1))
    file = tmp_path / "home.db"
    ((body,),) = run_sql(file, "select body from crag_turns where id = 2")
    run_sql(file, "update crag_turns set body = ? where id = 2", changed(body))
    with open_turn_store(tmp_path) as store:
        assert store.turn("a", 1).answer["question"] == "whole"
        assert {each.name for each in store.threads()} == {"a", "b"}
        with pytest.raises(StorageError, match="Turn 1 of thread 'b' is damaged"):
            list(store.turns("b"))


def test_store_held_too_long_is_busy(tmp_path, monkeypatch):
    monkeypatch.setattr("state.sqlite_file.BUSY_SECONDS", 0.1)
    path = tmp_path / "home.db"
    with open_turn_store(path.parent) as store:
        store.append("a", make_answer())
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("begin exclusive")
        with pytest.raises(StoreBusyError):
            store.append("a", make_answer())
        holder.execute("rollback")
        holder.close()
        assert store.append("a", make_answer()) == 2


def test_deleted_text_is_not_left_in_the_file(tmp_path):
    path = tmp_path / "home.db"
    with open_turn_store(path.parent) as store:
        for seed in range(30):
            store.append("gone", random_answer(seed, 4000))
        bodies = [body for (body,) in run_sql(path, "select body from crag_turns")]
    before = path.stat().st_size
    with open_turn_store(path.parent) as store:
        store.append("kept", make_answer())
        store.delete("gone")
    left = path.read_bytes()
    assert not any(body[100:140] in left for body in bodies)
    assert len(left) < before / 4


def test_name_that_is_no_unicode(tmp_path):
    with open_turn_store(tmp_path) as store:
        for use in (lambda bad: store.append(bad, make_answer()), store.last_turn):
            with pytest.raises(UsageError):
                use("\udcff")


@pytest.mark.parametrize("silent", [False, True], ids=["refused", "silent"])
def test_postgres_that_does_not_answer_fails_within_seconds(silent):
    with socket.socket() as listener:
        port = free_port()
        if silent:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = listener.getsockname()[1]
        store = open_turn_store(Path(), f"postgresql://me:hunter2@127.0.0.1:{port}/d")
        with within(20), pytest.raises(RemoteStoreError) as caught:
            store.threads()
    assert "hunter2" not in str(caught.value)
    assert silent or f"127.0.0.1:{port}/d failed: Connection refused." in str(caught.value)


def test_unusable_postgres_url_keeps_its_password_to_itself():
    for url in ("postgresql://me:hunter2@[::1/d", "postgresql://me:hunter2@h/d?nonsense=1"):
        with pytest.raises(UsageError) as caught:
            server_address(url)
        assert "hunter2" not in str(caught.value)
