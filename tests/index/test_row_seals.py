"""Bits that change in the rows of small tables: found by doctor, taken out by its repair."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from ingest_runs import Library
from row_damage import unwatched

from rag.doctor.databases import check_catalog, check_databases, repair_catalog
from rag.doctor.indexes import check_collections, repair_collections
from rag.doctor.part_check import Check
from rag.doctor.salvage import salvage_databases
from rag.index.local_store import LocalStore
from rag.research.journal import Journal
from rag.session import open_session
from state.row_seals import damaged_rows, drop_damaged_rows, know_checksums, seal_rows
from state.settings import load_settings


def test_every_change_is_sealed_and_every_flip_is_found():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        know_checksums(db)
        db.execute("create table t (a text, b integer, c blob, primary key (a, b))")
        db.execute("insert into t values ('old', 0, null)")
        seal_rows(db, ["t"])
        db.execute("insert into t values ('x', 1, x'00'), ('y', 2, null), ('z', 3, 'text')")
        db.execute("insert or replace into t values ('x', 1, x'01')")
        db.execute("insert or ignore into t values ('x', 1, x'02')")
        db.execute("update t set a = 'w' where b = 2")
        db.execute("insert into t values ('z', 3, 'more') on conflict do update set c = 'less'")
        db.execute("delete from t where b = 1")
        assert damaged_rows(db, ["t", "none"]) == {}
        for trigger in ("insert", "update", "delete"):
            db.execute(f"drop trigger t_seals_{trigger}")
        db.execute("update t set c = cast(x'ff' as text) where b = 3")  # no text any more
        db.execute("update t set a = 'v' where b = 2")
        assert damaged_rows(db, ["t"]) == {"t": 2}
        drop_damaged_rows(db, ["t"])
        assert damaged_rows(db, ["t"]) == {}
        assert db.execute("select a, b from t order by b").fetchall() == [("old", 0), ("v", 2)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with something in every small table."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "whale.md").write_text("# The whale\n\nThe whale is 30 metres long.\n")
    (folder / "empty.md").write_text("")
    (folder / "scan.bin").write_bytes(bytes(range(256)) * 9)
    library = Library(tmp_path_factory.mktemp("made") / "home")
    library.ingest(folder)
    made = library.settings.home
    LocalStore(made).grades().put({"ab" * 16: '{"relevant": true}'})
    with Journal(made) as journal:
        journal.start("one", {"asked": "How long?", "question": "How long is the whale?"})
        journal.keep_plan("one", 1, [{"id": "a"}], {"llm_calls": 0})
        journal.warn("one", "slow")
    with open_session(load_settings({"home": made, "engine": "local"})) as session:
        session.ask("How long is the whale?", thread="talk")
    return made


def failing(home: Path) -> list[str]:
    return [check.part for check in all_checks(home) if not check.ok]


def all_checks(home: Path) -> list[Check]:
    return [check_catalog(home), *check_databases(home)]


@pytest.mark.parametrize(
    ("file", "part", "table", "column"),
    [
        ("catalog.sqlite", "catalog", "roots", "options"),
        ("catalog.sqlite", "catalog", "unread", "reason"),
        ("catalog.sqlite", "catalog", "grades", "grade"),
        ("checkpoints.db", "checkpoints", "checkpoints", "checkpoint"),
        ("checkpoints.db", "checkpoints", "checkpoints", "metadata"),
        ("research.db", "research", "runs", "start"),
        ("research.db", "research", "plans", "usage"),
        ("research.db", "research", "warnings", "line"),
    ],
)
def test_a_damaged_row_is_found_and_taken_out(home, file, part, table, column):
    assert failing(home) == []
    with unwatched(home / file, table) as db:
        rows = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        changed = f"CAST(substr({column}, 1, 3) || char(1) || substr({column}, 5) AS BLOB)"
        db.execute(f"UPDATE {table} SET {column} = {changed}")
    assert rows
    (found,) = [check for check in all_checks(home) if not check.ok]
    assert (found.part, found.hint) == (part, "crag doctor --repair")
    assert f"{rows} damaged row" in found.detail
    told: list[str] = []
    repair_catalog(home, told.append)
    salvage_databases(home, told.append)
    assert len(told) == 1
    assert failing(home) == []
    with open_session(load_settings({"home": home, "engine": "local"})) as session:
        assert session.ask("How long is the whale?", thread="talk")["status"] == "answered"


@pytest.mark.parametrize(
    ("file", "part", "word"),
    [
        ("checkpoints.db", "checkpoints", "crag_crc"),
        ("threads.db", "threads", "milestone"),
        ("traces.db", "traces", "parent"),
    ],
)
def test_a_schema_whose_words_changed_is_found_and_written_again(home, file, part, word):
    made = home.parent / "changed"
    made.mkdir(exist_ok=True)
    shutil.copy(home / file, made / file)
    with closing(sqlite3.connect(made / file)) as db, db:
        db.execute("PRAGMA writable_schema = 1")
        db.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, ?)", (word, f"{word[:-1]}~"))
    (found,) = [check for check in all_checks(made) if not check.ok]
    assert (found.part, found.hint) == (part, "crag doctor --repair")
    salvage_databases(made, lambda _line: None)
    assert [check for check in all_checks(made) if not check.ok] == []
    (made / file).unlink()


def test_a_document_is_called_what_its_title_says(home):
    embedder = Library(home).embedder
    with closing(sqlite3.connect(home / "catalog.sqlite")) as db, db:
        assert db.execute("UPDATE names SET key = 'shale' WHERE key = 'whale'").rowcount == 1
    ill = [check.part for check in check_collections(home, embedder.identity) if not check.ok]
    assert ill == ["default: names"]
    repair_collections(home, lambda _line: None)
    ill = [check.part for check in check_collections(home, embedder.identity) if not check.ok]
    assert ill == []
