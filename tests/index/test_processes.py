import random
import re
from contextlib import closing

import pytest
from forked import last_told, started
from index_samples import ill_parts, open_collection, open_writer
from index_victim import CHUNKS, DOCUMENTS, texts, write_five, write_until_killed
from shared_stores import assert_sound

from rag.index.home.catalog import Catalog


def kill_after(home, first, versions, extra):
    """Kills a victim `extra` seconds after so many versions; the last that it had finished."""
    victim, told = started(write_until_killed, home, first, daemon=True)
    for _ in range(versions):
        told.recv()
    victim.join(extra)  # the instant is the point of the test; nothing is waited for
    return last_told(victim, told, first - 1 + versions)


def versions_of(reader):
    """The version of each document; fails on a half or mixed one."""
    found = {}
    chunks = reader.search("item version piece", 200)
    assert len(chunks) == reader.chunk_count
    for source in {chunk["source"] for chunk in chunks}:
        text = reader.document_text(source)
        (version,) = set(re.findall(r"version (\d+)", text))
        number = 99 if source.startswith("only") else int(source[3:])
        assert text == "".join(texts(number, int(version)))
        own = [chunk for chunk in chunks if chunk["source"] == source]
        assert len(own) == CHUNKS
        for chunk in own:
            assert chunk["text"] == text[chunk["start_char"] : chunk["end_char"]]
        found[source] = int(version)
    return found


def check_promises(home, finished):
    lines = []
    reader = open_collection(home, "default", notice=lines.append)
    found = versions_of(reader)
    numbered = {source: number for source, number in found.items() if source.startswith("doc")}
    assert len(numbered) == DOCUMENTS
    # Nothing finished is lost, and nothing is more than the one write ahead.
    assert set(numbered.values()) <= {finished, finished + 1}
    assert len(lines) <= 1
    reader.close()
    with Catalog(home) as catalog:
        assert catalog.integrity_errors() == []
    with open_writer(home, "default") as writer:
        assert {kept.source for kept in writer.documents()} == set(found)
    assert ill_parts(home) == []


@pytest.mark.parametrize("times", [2, pytest.param(300, marks=pytest.mark.slow)])
def test_killed_writers_break_no_promise(tmp_path, times):
    chance = random.Random(times)
    finished = kill_after(tmp_path, 0, 1, 0.0)
    for _ in range(times):
        done = kill_after(tmp_path, finished + 1, chance.randint(0, 2), chance.random() * 0.5)
        reader = open_collection(tmp_path, "default")
        # A version cut between its last commit and its word about it counts as finished.
        seen = versions_of(reader)
        finished = max(finished, done, min(seen[f"doc{n}"] for n in range(DOCUMENTS)))
        reader.close()
        check_promises(tmp_path, finished)


def test_writers_that_come_at_once_take_turns_and_a_name_is_taken_once(store):
    """To a database where nothing is yet."""
    running = [started(write_five, store, f"process{number}") for number in range(3)]
    for process, _ in running:
        process.join(60)
    assert [process.exitcode for process, _ in running] == [0] * 3
    assert len({told.recv() for _, told in running for _ in range(5)}) == 1
    with closing(store.open_collection("default")) as reader:
        assert reader.document_count == len(reader.search("text", 40)) == 15
    assert_sound(store)
