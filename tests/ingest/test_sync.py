import os
import shutil
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from document_files import written
from ingest_runs import Library, counts
from shared_stores import assert_sound, new_store

from rag.index.home import catalog
from rag.ingest import pipeline
from rag.ingest.staleness import staleness
from state.errors import StorageError

TEXT = "# Valves\n\nThe {} valve opens at {} bar.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {name: TEXT.format(name, n) for n, name in enumerate(["a.md", "b.md", "sub/c.md"])}
    return written(tmp_path / "docs", texts)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "home")


@pytest.fixture(params=["home", "postgres"])
def either(request, tmp_path: Path) -> Library:
    """At home or in a shared store."""
    if request.param == "home":
        return Library(tmp_path / "home")
    store = new_store(request.getfixturevalue("postgres").url)
    return Library(tmp_path / "home", store=store.url, store_schema=store.schema)


def test_the_collection_becomes_equal_to_the_folder(folder, either):
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 no")
    report = either.ingest(folder)
    assert counts(report) == {"added": 3, "failed": 1}
    assert (report.documents, report.chunks) == (3, 3)
    assert either.sources == ["a.md", "b.md", "sub/c.md"]
    assert counts(either.ingest(folder)) == {"unchanged": 3, "failed": 1}
    (folder / "a.md").write_text(TEXT.format("changed", 9))
    (folder / "b.md").rename(folder / "moved.md")
    (folder / "sub" / "c.md").write_text("")
    stale = staleness(either.store, "default").line("notes")
    assert stale.endswith("run `crag ingest -c notes` again.")
    changed = {"added": 1, "updated": 1, "removed": 2}
    assert counts(either.ingest(folder)) == {**changed, "skipped": 1, "failed": 1}
    assert staleness(either.store, "default").line("default") is None
    assert either.sources == ["a.md", "moved.md"]
    report = either.ingest(folder, dry_run=True)
    assert counts(report) == {"unchanged": 2, "skipped": 1, "failed": 1}
    assert_sound(either.store)


def test_a_new_time_alone_is_no_change_and_an_old_time_hides_none(folder, library):
    library.ingest(folder)
    os.utime(folder / "a.md", (1, 1))
    assert counts(library.ingest(folder)) == {"unchanged": 3}
    status = (folder / "b.md").stat()
    (folder / "b.md").write_text(TEXT.format("b.md", 7))
    os.utime(folder / "b.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (folder / "b.md").stat().st_size == status.st_size
    assert counts(library.ingest(folder)) == {"updated": 1, "unchanged": 2}


def test_one_folder_never_removes_the_documents_of_another(tmp_path, folder, library):
    other = written(tmp_path / "other", {"a.md": "Another a."})
    library.ingest(folder)
    assert counts(library.ingest(other)) == {"added": 1}
    assert library.sources == ["a.md", "b.md", "other/a.md", "sub/c.md"]
    (other / "a.md").unlink()
    assert counts(library.ingest(folder)) == {"unchanged": 3}
    assert counts(library.ingest(other)) == {"removed": 1}
    assert library.sources == ["a.md", "b.md", "sub/c.md"]


def test_a_folder_spelt_in_two_ways_is_one(tmp_path, folder, library, monkeypatch):
    library.ingest(folder)
    monkeypatch.chdir(folder.parent)
    (tmp_path / "link").symlink_to(folder)
    for spelt in ("docs", "./docs/", f"{folder}/sub/..", tmp_path / "link"):
        assert counts(library.ingest(spelt)) == {"unchanged": 3}
    assert counts(library.ingest("docs", folder)) == {"unchanged": 3}


def test_a_folder_inside_an_ingested_one_and_a_single_file(folder, library):
    library.ingest(folder)
    assert counts(library.ingest(folder / "sub")) == {"unchanged": 1}
    assert counts(library.ingest(folder / "a.md")) == {"unchanged": 1}
    (folder / "sub" / "c.md").unlink()
    assert counts(library.ingest(folder / "sub")) == {"removed": 1}
    assert library.sources == ["a.md", "b.md"]


def test_what_one_folder_ignores_another_may_hold(folder, library):
    (folder / ".gitignore").write_text("sub\n")
    library.ingest(folder)
    assert library.sources == ["a.md", "b.md"]
    library.ingest(folder / "sub")
    assert counts(library.ingest(folder)) == {"unchanged": 2}
    assert library.sources == ["a.md", "b.md", "c.md"]
    assert counts(library.ingest(folder / "sub", exclude=("*",))) == {"removed": 1}


def test_a_folders_globs_hold_until_others_are_given(folder, library):
    library.ingest(folder)
    assert counts(library.ingest(folder, exclude=("sub/",))) == {"unchanged": 2, "removed": 1}
    for options in ({"dry_run": True}, {}):
        assert counts(library.ingest(folder, **options)) == {"unchanged": 2}
    assert counts(library.ingest(folder, include=("a.md",))) == {"removed": 1, "unchanged": 1}
    (folder / "b.md").write_text("changed")
    assert counts(library.ingest(folder)) == {"unchanged": 1}
    assert counts(library.ingest(folder, include=("*",))) == {"added": 2, "unchanged": 1}
    assert counts(library.ingest(folder, exclude=("secret.md",))) == {"unchanged": 3}
    (folder / "secret.md").write_text("The secret motor.")
    assert counts(library.ingest(folder)) == {"unchanged": 3}


def test_files_that_give_no_text_are_reported_each_time_but_tried_once(folder, library):
    (folder / "image.psd").write_bytes(b"8BPS\0\1" + bytes(100))
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 nothing more")
    (folder / "blank.md").write_text(" \n\n")
    for _ in range(2):
        report = library.ingest(folder)
        assert {Path(path).name for path, _ in report.skipped} == {"image.psd", "blank.md"}
        assert [Path(path).name for path, _ in report.failed] == ["bad.pdf"]
    assert planned(library) == 0
    (folder / "bad.pdf").unlink()
    assert library.ingest(folder).failed == []


def test_what_the_disk_does_not_give_is_tried_again(folder, library, monkeypatch):
    broken = Mock(side_effect=OSError(5, "Input/output error"))
    monkeypatch.setattr("rag.documents.registry.detect_format", broken)
    assert "cannot be read: Input/output" in library.ingest(folder).failed[0].reason
    monkeypatch.undo()
    assert counts(library.ingest(folder)) == {"added": 3}


@pytest.mark.parametrize("error", [OSError("image file is truncated"), OSError(22, "Invalid")])
def test_damage_that_a_library_calls_a_system_error_is_not(error, folder, library, monkeypatch):
    monkeypatch.setattr("rag.documents.registry.detect_format", Mock(side_effect=error))
    library.ingest(folder)
    monkeypatch.undo()
    assert len(library.ingest(folder).failed) == 3
    assert planned(library) == 0


def test_what_was_indexed_of_a_file_that_breaks_is_kept_until_it_is_mended(folder, library):
    page = folder / "page.json"
    page.write_text('{"valve": "opens"}')
    library.ingest(folder)
    page.write_bytes(b"\x00\x01\x02" * 500)
    report = library.ingest(folder)
    assert (len(report.failed) + len(report.skipped)) == 1
    page.write_text('{"valve": "shuts"}')
    assert counts(library.ingest(folder)) == {"updated": 1, "unchanged": 3}


def test_odd_names_are_found_again(tmp_path, library):
    odd = {"new\nline 🚂.md": "A text.", "caf\udce9.md": "Another text."}
    folder = written(tmp_path / "odd", odd)
    assert counts(library.ingest(folder)) == {"added": 2}
    assert counts(library.ingest(folder)) == {"unchanged": 2}
    assert library.sources == ["caf\\xe9.md", "new\nline 🚂.md"]


def test_a_home_inside_the_folder_is_not_read(tmp_path):
    (tmp_path / "a.md").write_text("A text.")
    library = Library(tmp_path / "home")
    library.ingest(tmp_path)
    assert counts(library.ingest(tmp_path)) == {"unchanged": 1}


def test_what_lies_in_a_folder_that_could_not_be_read_to_its_end_stays(folder, library):
    library.ingest(folder)
    deep = os.open(folder, os.O_RDONLY)
    for _ in range(20):  # deeper than a path can say
        os.mkdir("d" * 250, dir_fd=deep)
        above, deep = deep, os.open("d" * 250, os.O_RDONLY, dir_fd=deep)
        os.close(above)
    os.close(deep)
    report = library.ingest(folder)
    assert "cannot be listed" in report.failed[0].reason
    assert report.removed == 0
    shutil.rmtree(folder / ("d" * 250))
    assert library.ingest(folder).failed == []


def test_staleness_counts_what_changed_and_what_is_gone(folder, library):
    library.ingest(folder)
    store = library.store
    (folder / "a.md").chmod(0o400)  # its rights alone
    assert staleness(store, "default").line("default") is None
    (folder / "a.md").chmod(0o600)
    (folder / "a.md").write_text("changed")
    (folder / "b.md").unlink()
    stale = staleness(store, "default")
    assert (stale.changed, stale.gone, stale.files) == (1, 1, 3)
    assert stale.line("default").startswith("2 indexed files have changed or gone since")
    assert staleness(store, "default", most=1).checked == 1


LONG = [pytest.param(pages, marks=pytest.mark.slow) for pages in (45, 75)]


@pytest.mark.parametrize("pages", [60, *LONG])
def test_a_full_disk_is_told_and_the_next_ingest_goes_on(tmp_path, library, monkeypatch, pages):
    many = {f"{n}.md": TEXT.format(f"{n}" * 40, n) * 8 for n in range(150)}
    folder = written(tmp_path / "many", many)
    small_disk = f"{catalog.Catalog.on_connect}; PRAGMA max_page_count = {pages}"
    monkeypatch.setattr(catalog.Catalog, "on_connect", small_disk)
    with pytest.raises(StorageError, match="full"):
        library.ingest(folder)
    monkeypatch.undo()
    report = library.ingest(folder)
    assert report.added + report.unchanged == report.documents == 150


def test_what_lies_in_two_of_the_folders_is_told_once(folder, library):
    (folder / "sub" / "link.md").symlink_to("none")
    assert len(library.ingest(folder, folder / "sub").skipped) == 1


def test_what_an_older_program_gave_up_on_is_tried_until_it_was(folder, library, monkeypatch):
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    library.ingest(folder)
    with library.store.open_writer("default") as writer:
        (unread,) = writer.unread()
        writer.set_unread([replace(unread, reading="0:")])
    library.ingest(folder, dry_run=True)
    assert planned(library) == 1
    # Killed before anything that a run does at its end.
    monkeypatch.setattr(pipeline.Ingest, "run", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        library.ingest(folder)
    monkeypatch.undo()
    for tried in (1, 0):
        library.ingest(folder)
        assert planned(library) == tried


def planned(library):
    return next(event["files"] for event in library.events if event["event"] == "planned")
