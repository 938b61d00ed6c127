"""Kill an ingest at random instants; look at every promise each time."""

import random
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import ingest_child
import pytest
from changing_folder import Folder
from ingest_runs import Library, counts

from rag.index.home.catalog import catalog_path, is_sound


def check_promises(library: Library, folder: Folder, kept: set[str]) -> int:
    """No half document, nothing lost, readers work; returns how many files are up to date."""
    home = library.settings.home
    if not catalog_path(home).exists():
        return 0
    assert is_sound(home) == []
    current = 0
    with closing(sqlite3.connect(catalog_path(home))) as db:
        rows = db.execute("SELECT id, source, chunk_count, characters FROM documents").fetchall()
        shapes = {row[1].decode(): (row[0], row[2], row[3]) for row in rows}
        assert kept <= set(shapes)
        for number, chunk_count, _ in shapes.values():
            stored = db.execute(
                "SELECT count(*) FROM chunks WHERE document_id = ?", (number,)
            ).fetchone()
            assert stored == (chunk_count,)
    if not shapes:
        return 0
    with closing(library.open()) as reader:
        for source, (_, _, characters) in shapes.items():
            text = reader.document_text(source)
            assert text in folder.versions[source]
            assert len(text) == characters
            current += text == folder.texts.get(source)
        source = folder.dice.choice(sorted(shapes))
        mark = reader.document_text(source).split()[-1].rstrip(".")
        found = reader.search(f"The mark is {mark}", 3)
        assert any(f"{mark}." in chunk["text"] for chunk in found)
    return current


def resume(library: Library, folder: Folder, current: int) -> None:
    """The next ingest does only what is left, and ends equal to the folder."""
    report = library.ingest(folder.path)
    assert report.failed == []
    assert report.unchanged == current
    assert library.sources == sorted(folder.texts)
    with closing(library.open()) as reader:
        for source, text in folder.texts.items():
            assert reader.document_text(source) == text
    assert counts(library.ingest(folder.path)) == {"unchanged": len(folder.texts)}


def kill_often(tmp_path: Path, kills: int, seed: int) -> None:
    dice = random.Random(seed)
    folder = Folder(tmp_path / "docs", dice)
    library = Library(tmp_path / "home")
    for number in range(40):
        folder.write(f"{number}.md")
    kept: set[str] = set()
    longest = 1.0
    for _ in range(kills):
        began = time.monotonic()
        process = ingest_child.start(library.settings, folder.path)
        process.join(dice.uniform(0, longest))
        process.kill()
        process.join()
        if process.exitcode == 0:  # it was done before the blow
            longest = 0.9 * (time.monotonic() - began)
        current = check_promises(library, folder, kept)
        if dice.random() < 0.7:
            resume(library, folder, current)
            kept = set(folder.texts)
            folder.change()
            kept &= set(folder.texts)
        else:  # kill the resumed one, too
            longest += 0.05


def test_a_killed_ingest_breaks_no_promise(tmp_path):
    kill_often(tmp_path, 10, seed=1)


@pytest.mark.slow
def test_an_ingest_killed_three_hundred_times_breaks_no_promise(tmp_path):
    kill_often(tmp_path, 300, seed=2)


def test_of_two_ingests_at_once_one_does_the_work(tmp_path):
    folder = Folder(tmp_path / "docs", random.Random(3))
    library = Library(tmp_path / "home")
    for number in range(40):
        folder.write(f"{number}.md")
    processes = [ingest_child.start(library.settings, folder.path) for _ in range(2)]
    for process in processes:
        process.join()
    endings = sorted(process.exitcode for process in processes)
    assert endings in ([0, 0], [0, ingest_child.BUSY])
    assert counts(library.ingest(folder.path)) == {"unchanged": 40}


def test_a_reader_never_sees_a_torn_document(tmp_path):
    folder = Folder(tmp_path / "docs", random.Random(4))
    library = Library(tmp_path / "home")
    for number in range(30):
        folder.write(f"{number}.md")
    library.ingest(folder.path)
    done = threading.Event()
    seen: list[str] = []

    def read() -> None:
        with closing(library.open()) as reader:
            while not done.is_set():
                for chunk in reader.search("valve pump rotor", 20):
                    seen.append(chunk["source"])
                    text = reader.document_text(chunk["source"])
                    if text is not None and text not in folder.versions[chunk["source"]]:
                        seen.append(f"torn {chunk['source']}")

    thread = threading.Thread(target=read)
    thread.start()
    try:
        for _ in range(3):
            folder.change()
            library.ingest(folder.path)
    finally:
        done.set()
        thread.join()
    assert seen
    assert [source for source in seen if source.startswith("torn")] == []
