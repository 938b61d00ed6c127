"""Damage inside a row that SQLite finds nothing wrong with: a turn, a trace."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from ingest_runs import Library
from row_damage import unwatched
from typer.testing import CliRunner

from cli.program import app
from state.schema_version import read_version, write_version

QUESTION = "How long is the Corbel Tunnel?"


def crag_in(home):
    return lambda *arguments: CliRunner().invoke(app, [*arguments, "--home", str(home)])


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A home with a thread of one turn and two traces, to be copied."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "docs").mkdir()
    (folder / "docs" / "line.md").write_text("# Line\n\nThe Corbel Tunnel is 1,204 metres long.\n")
    Library(folder / "home").ingest(folder / "docs")
    crag = crag_in(folder / "home")
    assert crag("ask", QUESTION, "-t", "my line").exit_code == 0
    assert crag("ask", QUESTION).exit_code == 0
    return folder / "home"


@pytest.fixture
def crag(tmp_path, asked):
    return crag_in(shutil.copytree(asked, tmp_path / "home"))


def damage(tmp_path, file, table):
    with unwatched(tmp_path / "home" / file, table) as db:
        (row, body) = db.execute(f"select rowid, body from {table} limit 1").fetchone()
        changed = bytearray(body)
        changed[len(body) // 2] ^= 4
        db.execute(f"update {table} set body = ? where rowid = ?", (bytes(changed), row))


@pytest.mark.parametrize("repaired", [True, False])
def test_a_damaged_trace_is_taken_out_or_deleted(tmp_path, crag, repaired):
    damage(tmp_path, "traces.db", "traces")
    told = crag("doctor").output
    assert "FAIL  traces: traces.db: 1 damaged row of traces\n" in told
    assert "mend: crag doctor --repair" in told
    newest, oldest = (line.split()[0] for line in crag("trace", "list").output.splitlines())
    shown = crag("trace", oldest)
    assert shown.exit_code == 4
    assert "is damaged. `crag trace delete " in shown.output
    mending = ["doctor", "--repair"] if repaired else ["trace", "delete", oldest, "-y"]
    assert crag(*mending).exit_code == 0
    assert crag("doctor").exit_code == 0
    assert [line.split()[0] for line in crag("trace", "list").output.splitlines()] == [newest]


@pytest.mark.parametrize("repaired", [True, False])
def test_a_damaged_turn_is_taken_out_or_its_thread_deleted(tmp_path, crag, repaired):
    crag("ask", QUESTION, "-t", "my line")
    damage(tmp_path, "threads.db", "turns")
    told = crag("doctor")
    assert told.exit_code == 4
    assert "FAIL  threads: threads.db: 1 damaged row of turns\n" in told.output
    assert "mend: crag doctor --repair" in told.output
    assert crag("threads", "show", "my line").exit_code == 4
    assert "(damaged)" in crag("threads", "list").output
    mending = ["doctor", "--repair"] if repaired else ["threads", "delete", "my line", "-y"]
    assert crag(*mending).exit_code == 0
    assert crag("doctor").exit_code == 0
    left = crag("threads", "list").output
    assert ("my line" in left) is repaired
    assert "(damaged)" not in left


@pytest.mark.parametrize("bit", [0, 3, 8, 11, 30])
@pytest.mark.parametrize("field", ["user_version", "application_id"])
@pytest.mark.parametrize("name", ["catalog.sqlite", "threads.db"])
def test_a_changed_version_is_found_mended_and_hides_nothing(tmp_path, crag, name, field, bit):
    with closing(sqlite3.connect(tmp_path / "home" / name)) as db:
        (value,) = db.execute(f"pragma {field}").fetchone()
        db.execute(f"pragma {field} = {value ^ 1 << bit}")
    assert crag("threads", "list").output.startswith("my line ")
    assert crag("ask", QUESTION).exit_code == 0
    told = crag("doctor")
    assert f"{name}: its version is damaged" in told.output
    assert "mend: crag doctor --repair" in told.output
    assert crag("doctor", "--repair").exit_code == 0


@pytest.mark.parametrize("name", ["catalog.sqlite", "threads.db"])
def test_a_file_of_before_the_first_release_is_told_of_and_left_as_it_is(tmp_path, crag, name):
    path = tmp_path / "home" / name
    with closing(sqlite3.connect(path)) as db:
        write_version(db, read_version(db) - 1)
    before = path.read_bytes()
    crag("doctor", "--repair")
    told = " ".join(crag("doctor").output.split())
    assert f"{name} was written by a crag before its first release" in told
    assert "mend: Move it away" in told
    assert path.read_bytes() == before


TABLES = {
    "catalog.sqlite": "documents",
    "threads.db": "turns",
    "checkpoints.db": "checkpoints",
    "traces.db": "traces",
    "research.db": "runs",
}


@pytest.mark.parametrize(
    ("name", "was", "now"),
    [
        ("threads.db", "name text not null unique", "name uext not null unique"),
        ("threads.db", "integer not null, body blob", "integer not oull, body blob"),
        ("traces.db", "thread text", "thre!d text"),
        ("catalog.sqlite", "source BLOB NOT NULL", "source BLOB NO~ NULL"),
        ("checkpoints.db", "cast(new.type as blob)", "cast(new.type as bloc)"),
        ("research.db", "cast(new.id as blob)", "cast(new.id as blo~)"),
    ],
)
def test_a_bit_in_the_words_of_a_schema_is_found_and_written_again(tmp_path, crag, name, was, now):
    crag("research", QUESTION)
    expected = crag("threads", "export", "my line").output
    path = tmp_path / "home" / name
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
        (before,) = db.execute("select group_concat(sql) from sqlite_schema").fetchone()
    data = path.read_bytes()
    assert was.encode() in data
    path.write_bytes(data.replace(was.encode(), now.encode(), 1))
    told = crag("doctor")
    assert f"{name}: the schema of" in told.output
    assert "mend: crag doctor --repair" in told.output
    assert crag("doctor", "--repair").exit_code == 0
    assert crag("threads", "export", "my line").output == expected
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("select group_concat(sql) from sqlite_schema").fetchone() == (before,)


@pytest.mark.parametrize("name", TABLES)
def test_a_file_of_another_format_is_damage(tmp_path, crag, name):
    crag("research", QUESTION)
    path = tmp_path / "home" / name
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma wal_checkpoint(truncate)")
    data = bytearray(path.read_bytes())
    data[47] ^= 0x40  # the schema's format, of which there are four
    path.write_bytes(data)
    told = crag("doctor")
    if name == "catalog.sqlite":
        assert f"mend: Move {path} away" in told.output
        return
    assert "mend: crag doctor --repair" in told.output
    repaired = crag("doctor", "--repair")
    assert repaired.exit_code == 0
    assert "(none lost)" in repaired.output
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(f"select count(*) from {TABLES[name]}").fetchone() > (0,)


def test_what_a_process_killed_at_its_first_turn_leaves_is_no_damage(tmp_path, crag):
    (tmp_path / "home" / "threads.db").write_bytes(b"")
    assert "ok    threads: threads.db is sound" in crag("doctor").output
