"""Bits that change where a catalog lies: found by doctor, mended by the next ingest."""

import random
import sqlite3
from contextlib import closing

import pytest
from index_samples import ill_parts
from ingest_runs import Library

from rag.doctor.checkup import repair
from rag.doctor.databases import check_catalog
from rag.doctor.indexes import check_collections, repair_collections
from rag.index import document_rows
from rag.index.chunk_rows import TextDamagedError
from rag.index.document_seal import repair_hint
from state.errors import DamagedError

NAMES = ["whale", "railway", "bakery", "glacier", "violin", "harbour"]


@pytest.fixture
def library(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.md").write_text(
            f"# The {name}\n\nThe {name} is {len(name)} metres long.\n\n## More\n\nIt is blue."
        )
    made = Library(tmp_path / "home")
    made.ingest(folder)
    made.folder = folder
    return made


def change(library, statement, *values):
    with closing(sqlite3.connect(library.settings.home / "catalog.sqlite")) as db, db:
        assert db.execute(statement, values).rowcount == 1


def flipped(data, seed):
    bit = random.Random(seed).randrange(len(data) * 8)
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def found(library):
    reader = library.open()
    try:
        return {
            (chunk["source"], chunk["text"], chunk["heading"], chunk["start_line"])
            for name in NAMES
            for chunk in reader.search(f"the {name}", 20)
        }
    finally:
        reader.close()


def damage(library, table, column, seed):
    """One bit of one value of the bakery's rows."""
    id_of = (
        "SELECT id FROM documents WHERE source = 'bakery.md' OR source = CAST('bakery.md' AS BLOB)"
    )
    where = {
        "documents": f"id = ({id_of})",
        "blocks": f"id >> 20 = ({id_of})",
        "chunks": f"id = (SELECT max(id) FROM chunks WHERE document_id = ({id_of}))",
        "vectors": f"chunk_id = (SELECT max(id) FROM chunks WHERE document_id = ({id_of}))",
    }[table]
    home = library.settings.home
    with closing(sqlite3.connect(home / "catalog.sqlite")) as db:
        (value,) = db.execute(f"SELECT {column} FROM {table} WHERE {where}").fetchone()
    if isinstance(value, bytes):
        value = flipped(value, seed)
    elif isinstance(value, str):
        value = flipped(value.encode(), seed).decode(errors="replace")
    else:
        value = value ^ (1 << seed)
    change(library, f"UPDATE {table} SET {column} = ? WHERE {where}", value)


@pytest.mark.parametrize("seed", [3, 7])
@pytest.mark.parametrize(
    "value",
    [
        "blocks.data",
        "vectors.vector",
        "vectors.text_hash",
        "chunks.start_char",
        "chunks.end_char",
        "chunks.start_line",
        "chunks.heading",
        "chunks.key",
        "documents.title",
        "documents.characters",
    ],
)
def test_a_flipped_bit_is_found_and_the_file_is_read_again(library, value, seed):
    sound = found(library)
    damage(library, *value.split("."), seed)
    assert "default: documents" in ill_parts(library.settings.home)
    (check,) = [
        check
        for check in check_collections(library.settings.home, library.embedder.identity)
        if check.part == "default: documents"
    ]
    assert check.detail == "damaged: 'bakery.md'"
    assert check.hint == f"crag ingest {library.folder}"
    report = library.ingest(library.folder)
    assert (report.updated, report.unchanged) == (1, len(NAMES) - 1)
    assert library.embedder.texts  # a vector of its own is not trusted
    assert found(library) == sound
    assert ill_parts(library.settings.home) == []


def test_a_question_that_meets_damage_names_the_document_and_the_next_ingest_mends_it(library):
    sound = found(library)
    damage(library, "blocks", "data", 5)
    with pytest.raises(TextDamagedError, match=r"'bakery.md' is damaged\. Run `crag ingest`"):
        found(library)
    report = library.ingest(library.folder)
    assert (report.updated, report.failed) == (1, [])
    assert found(library) == sound
    assert ill_parts(library.settings.home) == []


def test_any_number_of_damaged_documents_are_mended_by_one_command(library):
    with closing(sqlite3.connect(library.settings.home / "catalog.sqlite")) as db:
        db.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
        assert repair_hint(db, range(1, 2_001)) == f"crag ingest {library.folder}"


def test_a_lost_block_is_no_empty_text(library):
    change(library, "DELETE FROM blocks WHERE id = (SELECT max(id) FROM blocks)")
    with pytest.raises(TextDamagedError):
        found(library)


@pytest.mark.parametrize("part", ["data", "docsize"])
def test_a_flipped_bit_of_the_lexical_index_is_found_and_repaired(library, part):
    sound = found(library)
    table = f"lexical_1_{part}"
    column = "block" if part == "data" else "sz"
    for seed in range(4):
        with closing(sqlite3.connect(library.settings.home / "catalog.sqlite")) as db:
            row, data = db.execute(f"SELECT id, {column} FROM {table} ORDER BY id DESC").fetchone()
        change(library, f"UPDATE {table} SET {column} = ? WHERE id = ?", flipped(data, seed), row)
        assert ill_parts(library.settings.home) == ["default: lexical index"]
        repair_collections(library.settings.home, lambda _line: None)
        assert ill_parts(library.settings.home) == []
        assert found(library) == sound


def test_a_damaged_document_that_is_deleted_leaves_nothing_behind(library):
    damage(library, "chunks", "heading", 4)
    (library.folder / "bakery.md").unlink()
    report = library.ingest(library.folder)
    assert report.removed == 1
    assert ill_parts(library.settings.home) == []
    assert {source for source, *_ in found(library)} == {f"{name}.md" for name in NAMES} - {
        "bakery.md"
    }


def test_a_damaged_document_that_moved_is_read_again(library):
    damage(library, "chunks", "heading", 4)
    (library.folder / "bakery.md").rename(library.folder / "baker.md")
    report = library.ingest(library.folder)
    assert (report.added, report.removed) == (1, 1)
    assert ill_parts(library.settings.home) == []


def test_a_sealed_document_stays_sealed_when_it_moves(library):
    (library.folder / "bakery.md").rename(library.folder / "baker.md")
    assert library.ingest(library.folder).moved == 1
    assert ill_parts(library.settings.home) == []


def test_seals_cost_one_statement_where_nothing_changed(library, monkeypatch):
    monkeypatch.setattr(document_rows, "seal", None)
    assert library.ingest(library.folder).unchanged == len(NAMES)


@pytest.mark.parametrize(
    ("part", "column", "value"),
    [
        ("config", "v", 4100),
        ("data", "block", b"\0\0\0\0\x81\1\1\0\1\1\1\1"),
        ("data", "block", b"\0\0\0\0\1\1\1\0\x81\1\1\1"),
        ("data", "block", b""),
        ("idx", "pgno", 1 << 30),
    ],
)
@pytest.mark.parametrize("ingested", [True, False])
def test_a_lexical_index_that_cannot_be_opened_is_built_again(
    library, part, column, value, ingested
):
    sound = found(library)
    table = f"lexical_1_{part}"
    with closing(sqlite3.connect(library.settings.home / "catalog.sqlite")) as db, db:
        where = "id = 10" if part == "data" else "true"
        assert db.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,)).rowcount == 1
    damage(library, "blocks", "data", 5)
    assert ill_parts(library.settings.home) == ["default: documents", "default: lexical index"]
    if not ingested:
        repair_collections(library.settings.home, lambda _line: None)
    assert library.ingest(library.folder).failed == []
    assert ill_parts(library.settings.home) == []
    assert found(library) == sound


def test_a_removal_that_was_noted_already_hinders_no_ingest(library):
    change(
        library,
        "INSERT INTO vector_removals SELECT 1, id FROM chunks WHERE document_id ="
        " (SELECT id FROM documents WHERE source = CAST('bakery.md' AS BLOB)) LIMIT 1",
    )
    (library.folder / "bakery.md").write_text("# The bakery\n\nIt is closed.")
    assert library.ingest(library.folder).updated == 1
    assert ill_parts(library.settings.home) == []


def unlike_its_index(library):
    """The names of a document are not where its index looks for them."""
    home = library.settings.home
    with closing(sqlite3.connect(home / "catalog.sqlite")) as db, db:
        db.execute("UPDATE names SET key = 'shale' WHERE key = 'whale'")
        db.execute("PRAGMA writable_schema = on")
        was = "CREATE INDEX names_document ON names (document_id)"
        now = "CREATE INDEX names_document ON names (-document_id)"
        for old, new in ((was, now), (now, was)):
            db.execute("UPDATE sqlite_schema SET sql = ? WHERE sql = ?", (new, old))
            db.execute("PRAGMA writable_schema = reset")
            db.execute("PRAGMA writable_schema = on")
            if new == now:
                db.execute("REINDEX names_document")


def test_nothing_is_repaired_from_a_catalog_that_is_not_sound(library):
    unlike_its_index(library)
    checked = check_catalog(library.settings.home)
    assert checked.detail.startswith("catalog.sqlite: row 1 missing from index names_document")
    assert checked.hint.startswith("Move ")
    with pytest.raises(DamagedError, match="Move it away and run `crag ingest` again"):
        repair(library.settings, lambda _line: None)


def test_a_rule_of_the_tables_that_damage_breaks_is_damage(library):
    """A document's old names are not found to be taken away, so writing them fails."""
    unlike_its_index(library)
    with pytest.raises(DamagedError, match=r"UNIQUE.*`crag doctor` says what mends it"):
        repair_collections(library.settings.home, lambda _line: None)
