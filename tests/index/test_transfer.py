"""Collections pushed to a shared store and pulled from one, without embedding again."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from chat_samples import crag
from index_samples import EMBEDDER, document, part, parts
from ingest_runs import Library, counts
from shared_stores import ask, assert_sound, fill, new_store

from rag.index.local_store import LocalStore
from rag.index.transfer import transfer
from state.errors import NoIndexError, StorageError, UsageError

TEXTS = {f"{n}.md": f"The motor {n} runs.\n\nValve {n * 3} is shut.  \n" for n in range(20)}


@pytest.fixture
def here(tmp_path) -> LocalStore:
    return LocalStore(tmp_path / "here", 200_000)


@pytest.fixture
def there(postgres):
    return new_store(postgres.url)


def copy(source, target, **how):
    return transfer(
        source, target, "default",
        **{"places": True, "may_remove": lambda _count: None, **how},
    )  # fmt: skip


def test_a_collection_goes_up_and_comes_down_as_it_was(here, there, tmp_path):
    with here.open_writer("default", EMBEDDER.identity) as opened:
        odd = "a\0b \ud800 c\r\n" + "end " * 9_000
        for source, text in {**TEXTS, "odd \udcff.md": odd}.items():
            opened.put(document(source, title="T"), [part(source, text, title="T")])
        long = [f"Part {n} of the long one.\n\n" for n in range(700)]
        opened.put(document("long.md"), parts("long.md", long))
        opened.put(document("empty.md"), [part("empty.md", " \n ")])
        opened.set_root("/files", "{}")
    report = copy(here, there)
    assert (report.documents, report.sent, report.removed) == (23, 23, 0)
    assert copy(here, there).sent == 0
    assert_sound(there)
    back = LocalStore(tmp_path / "back", 200_000)
    assert copy(there, back, places=False).sent == 23
    readers = [store.open_collection("default", EMBEDDER) for store in (here, there, back)]
    for source in [*TEXTS, "odd \udcff.md", "long.md", "empty.md"]:
        one, two, three = (reader.document_text(source) for reader in readers)
        assert one == two == three
    for query in ("motor 7", "valve", "part 300 of the long one"):
        one, two, three = ([c["chunk_id"] for c in r.search(query, 10)] for r in readers)
        assert one == two == three
    for reader in readers:
        reader.close()
    assert there.inventory("default").roots == ["/files"]
    assert back.inventory("default").roots == []
    assert {each.path for each in back.inventory("default").documents} == {None}


def test_what_changed_is_sent_and_what_is_gone_is_asked_for(here, there):
    fill(here, TEXTS)
    copy(here, there)
    fill(here, {"0.md": "Another text."})
    with here.open_writer("default", EMBEDDER.identity) as opened:
        opened.remove(["1.md", "2.md"])
    asked: list[int] = []

    def refuse(count: int) -> None:
        asked.append(count)
        raise UsageError("they stay")

    with pytest.raises(UsageError, match="they stay"):
        copy(here, there, may_remove=refuse)
    assert asked == [2]
    assert there.summaries()[0].documents == 20
    report = copy(here, there)
    assert (report.documents, report.sent, report.removed) == (18, 1, 2)
    assert_sound(there)


def test_a_copy_that_was_interrupted_goes_on(here, there):
    fill(here, TEXTS)

    def stop(done: int, _count: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy(here, there, progress=stop)
    assert_sound(there)
    report = copy(here, there)
    assert report.documents == 20
    assert report.sent == 8


def test_a_name_that_is_anothers_is_refused(here, there, tmp_path):
    fill(here, TEXTS)
    fill(there, {"a.md": "motor"})
    with pytest.raises(UsageError, match="another collection 'default' there already"):
        copy(here, there)
    assert ask(there, "motor") == ["a.md"]
    with pytest.raises(NoIndexError):
        copy(LocalStore(tmp_path / "nothing"), there)


def test_what_arrives_otherwise_is_told(here, there, monkeypatch):
    from rag.index.postgres import batch

    fill(here, TEXTS)
    real = batch.copy_vectors
    monkeypatch.setattr(
        batch, "copy_vectors", lambda *given: real(*given[:-1], given[-1][::-1].copy())
    )
    with pytest.raises(StorageError, match="20 documents of 'default' are not what was sent"):
        copy(here, there)


def test_the_machine_that_pushed_goes_on_ingesting_there(tmp_path, there):
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.md").write_text(f"The motor {number} runs.")
    local = Library(tmp_path / "home")
    local.ingest(folder)
    copy(local.store, there)
    shared = Library(tmp_path / "home", store=there.url, store_schema=there.schema)
    assert counts(shared.ingest(folder)) == {"unchanged": 4}
    (folder / "0.md").write_text("Another text.")
    assert counts(shared.ingest(folder)) == {"updated": 1, "unchanged": 3}


def test_the_commands_say_what_they_did(here, there, tmp_path, monkeypatch):
    monkeypatch.setenv("CRAG_STORE_SCHEMA", there.schema)
    fill(here, TEXTS)
    done = crag(tmp_path / "here", "collections", "push", "default")
    assert done.exit_code == 2
    assert "--to postgresql://" in done.stderr
    done = crag(tmp_path / "here", "collections", "push", "default", "--to", there.url, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["sent"] == 20
    assert "20 documents pushed, 0 unchanged, 0 removed; verified." in done.stderr
    monkeypatch.setenv("CRAG_STORE", there.url)
    done = crag(tmp_path / "other", "collections", "pull", "default")
    assert done.exit_code == 0, done.output
    with closing(LocalStore(tmp_path / "other").open_collection("default", EMBEDDER)) as reader:
        assert reader.document_count == 20
    fill(there, {"more.md": "A motor more."})
    done = crag(tmp_path / "here", "collections", "push", "default")
    assert done.exit_code == 2
    assert "asks first" in done.stderr
    assert "more.md" in ask(there, "motor more", 30)
