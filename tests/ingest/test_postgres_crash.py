"""Writers, readers and the server of a shared store killed at random: nothing half-visible,
nothing lost, the next run goes on.
"""

from __future__ import annotations

import random
from contextlib import closing

import ingest_child
import pytest
from changing_folder import Folder
from ingest_runs import Library, counts
from postgres_server import find_pg_ctl, running_postgres
from shared_stores import assert_sound

from state.errors import NoIndexError


@pytest.fixture
def server():
    pg_ctl = find_pg_ctl()
    if pg_ctl is None:
        pytest.skip("no Postgres here")
    with running_postgres(pg_ctl, durable=True) as server:
        yield server


def check_promises(library: Library, folder: Folder, kept: set[str]) -> int:
    """How many files are up to date in what a reader sees."""
    try:
        reader = library.open()
    except NoIndexError:
        assert not kept
        return 0
    with closing(reader):
        sources = set(library.sources)
        assert kept <= sources
        current = 0
        for source in sources:
            text = reader.document_text(source)
            assert text in folder.versions[source]
            current += text == folder.texts.get(source)
        mark = reader.document_text(folder.dice.choice(sorted(sources))).split()[-1].rstrip(".")
        found = reader.search(f"The mark is {mark}", 3)
        assert any(f"{mark}." in chunk["text"] for chunk in found)
    assert_sound(library.store)
    return current


def kill_often(server, tmp_path, kills: int, seed: int) -> None:
    dice = random.Random(seed)
    folder = Folder(tmp_path / "docs", dice)
    library = Library(tmp_path / "home", store=server.url, store_schema="crag")
    for number in range(30):
        folder.write(f"{number}.md")
    kept: set[str] = set()
    longest = 1.5
    for _ in range(kills):
        reader = ingest_child.start_as(ingest_child.read, library.settings)
        writer = ingest_child.start(library.settings, folder.path)
        writer.join(dice.uniform(0, longest))
        if dice.random() < 0.3:
            server.stop()
            writer.join(60)
            server.start()
        for process in dice.sample([writer, reader], 2):
            process.kill()
            process.join()
        assert reader.exitcode != 1
        current = check_promises(library, folder, kept)
        if dice.random() < 0.7:
            report = library.ingest(folder.path)
            assert report.failed == []
            assert report.unchanged == current
            assert library.sources == sorted(folder.texts)
            assert counts(library.ingest(folder.path)) == {"unchanged": len(folder.texts)}
            assert_sound(library.store)
            kept = set(folder.texts)
            folder.change()
            kept &= set(folder.texts)


def test_kills_of_writer_reader_and_server_break_no_promise(server, tmp_path):
    kill_often(server, tmp_path, 6, seed=1)


@pytest.mark.slow
def test_a_hundred_kills_of_writer_reader_and_server_break_no_promise(server, tmp_path):
    kill_often(server, tmp_path, 100, seed=2)
