"""One machine ingests into a Chroma server, others ask: each home here is a machine."""

import base64
import json
import sqlite3
import threading
import zlib
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from chroma_server import free_port, running_chroma
from hypothesis import given
from hypothesis import strategies as st
from index_samples import EMBEDDER, Score, document, ill_parts, part, parts
from ingest_runs import Library
from typer.testing import CliRunner

from cli.main import app
from rag.embed.protocol import EmbedderIdentity
from rag.index import schema
from rag.index.catalog import catalog_path, connect
from rag.index.collection import open_collection
from rag.index.inventory import collection_names, read_inventory
from rag.index.removal import delete_collection
from rag.index.sharing.record import (
    RecordDamaged,
    pack_head,
    pack_part,
    unpack_head,
    unpack_part,
)
from rag.index.sharing.shelf import own_shelf, whole_documents
from rag.index.writer import open_writer
from state.errors import (
    CragError,
    EmbedderMismatchError,
    NoIndexError,
    RemoteStoreError,
    UsageError,
)

SHEETS = {
    f"sheet{n}.md": f"# Sheet {n}\n\nThe valve of hall {n} opens at {n} bar.\n" for n in range(30)
}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with running_chroma(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def name(request) -> str:
    """A collection of the test's own: the server is everybody's."""
    return request.node.name[:100]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for file, text in SHEETS.items():
        (folder / file).write_text(text)
    return folder


def search(home: Path, name: str, url: str | None, query: str = "the valve of hall 7"):
    lines: list[str] = []
    with closing(open_collection(home, name, EMBEDDER, store=url, notice=lines.append)) as reader:
        found = [
            (chunk["chunk_id"], chunk["source"], chunk["text"], Score(chunk["score"]))
            for chunk in reader.search(query, 8)
        ]
        texts = {source: reader.document_text(source) for _, source, _, _ in found}
    return found, texts, lines


def sources(home: Path, name: str) -> list[str]:
    inventory = read_inventory(home, name)
    assert inventory is not None
    return sorted(document.source for document in inventory.documents)


def test_a_machine_that_never_ingested_asks_what_another_put_on_the_server(
    tmp_path, url, folder, name
):
    library = Library(tmp_path / "one", name, url)
    library.ingest(folder)
    found, texts, lines = search(tmp_path / "two", name, url)
    assert lines == [f"Copying the collection {name!r} from {url}."]
    assert (found, texts) == search(tmp_path / "one", name, url)[:2]
    assert search(tmp_path / "two", name, url)[2] == []
    # What changes there is here with the next question; no path of that machine comes along.
    (folder / "sheet7.md").write_text("# Sheet 7\n\nThe valve of hall 7 was walled up.\n")
    (folder / "sheet8.md").unlink()
    (folder / "sheet9.md").rename(folder / "sheet90.md")
    library.ingest(folder)
    found, texts, lines = search(tmp_path / "two", name, url)
    assert "walled up" in found[0][2]
    assert (found, texts) == search(tmp_path / "one", name, url)[:2]
    assert lines == []
    assert sources(tmp_path / "two", name) == library.sources
    inventory = read_inventory(tmp_path / "two", name)
    assert {(each.path, each.root) for each in inventory.documents} == {(None, None)}
    assert inventory.roots == [url]
    assert ill_parts(tmp_path / "two") == []


def test_an_unchanged_ingest_asks_the_server_nothing(tmp_path, folder, name):
    port = free_port()
    with running_chroma(tmp_path, port=port) as url:
        library = Library(tmp_path / "home", name, url)
        library.ingest(folder)
    assert library.ingest(folder).unchanged == 30


def test_a_copy_answers_while_its_server_is_away(tmp_path, folder, name):
    with running_chroma(tmp_path) as url:
        Library(tmp_path / "one", name, url).ingest(folder)
        here = search(tmp_path / "two", name, url)
    found, texts, lines = search(tmp_path / "two", name, url)
    assert (found, texts) == here[:2]
    assert len(lines) == 1
    assert "Answering from the copy here" in lines[0]
    assert search(tmp_path / "two", name, None)[:2] == here[:2]
    with pytest.raises(RemoteStoreError):
        search(tmp_path / "three", name, url)


def test_a_name_that_nobody_published_is_unknown(tmp_path, url):
    with pytest.raises(NoIndexError):
        search(tmp_path, "nobody's", url)


def test_a_copy_is_not_ingested_into_and_leaves_nothing_behind(tmp_path, url, folder, name):
    Library(tmp_path / "one", name, url).ingest(folder)
    search(tmp_path / "two", name, url)
    with pytest.raises(UsageError, match="is a copy of the one on"):
        Library(tmp_path / "two", name, url).ingest(folder)
    delete_collection(tmp_path / "two", name)
    assert search(tmp_path / "two", name, url)[0]  # deleting a copy deletes no original
    delete_collection(tmp_path / "one", name)
    delete_collection(tmp_path / "two", name)
    with pytest.raises(NoIndexError):
        search(tmp_path / "two", name, url)


def test_a_name_that_another_machine_publishes_is_not_taken_over(tmp_path, url, folder, name):
    Library(tmp_path / "one", name, url).ingest(folder)
    before = search(tmp_path / "reader", name, url)[:2]
    (tmp_path / "other.md").write_text("# Sheet 7\n\nThe valve of hall 7 is another one.\n")
    with pytest.raises(UsageError, match="belongs to another machine"):
        Library(tmp_path / "two", name, url).ingest(tmp_path / "other.md")
    assert search(tmp_path / "reader", name, url)[:2] == before
    assert Library(tmp_path / "one", name, url).ingest(folder).unchanged == 30
    Library(tmp_path / "two", f"{name}2"[-60:], url).ingest(tmp_path / "other.md")


def test_deleting_with_the_server_away_deletes_nothing_unless_told_so(tmp_path, folder, name):
    port = free_port()
    with running_chroma(tmp_path, port=port) as url:
        Library(tmp_path / "one", name, url).ingest(folder)
    with pytest.raises(RemoteStoreError, match=r"nothing was deleted\. .*--here-alone"):
        delete_collection(tmp_path / "one", name)
    assert len(sources(tmp_path / "one", name)) == 30
    with running_chroma(tmp_path, port=port) as url:
        delete_collection(tmp_path / "one", name)
        with pytest.raises(NoIndexError):
            search(tmp_path / "two", name, url)
        Library(tmp_path / "one", name, url).ingest(folder)
    delete_collection(tmp_path / "one", name, here_alone=True)
    assert collection_names(tmp_path / "one") == []


def test_another_embedder_is_refused_before_anything_is_copied(tmp_path, url, folder, name):
    Library(tmp_path / "one", name, url).ingest(folder)

    class Other:
        identity = EmbedderIdentity("other", 8, "1")

    with pytest.raises(EmbedderMismatchError):
        open_collection(tmp_path / "two", name, Other(), store=url)
    assert not catalog_path(tmp_path / "two").exists()


def test_a_publisher_that_died_is_not_seen_and_the_next_one_ends_its_work(
    tmp_path, url, folder, name, monkeypatch
):
    library = Library(tmp_path / "one", name, url)
    library.ingest(folder)
    search(tmp_path / "two", name, url)
    (folder / "sheet3.md").write_text("# Sheet 3\n\nThe valve of hall 3 was sold.\n")

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("rag.index.sharing.shelf.Shelf.seal", killed)
        with pytest.raises(KeyboardInterrupt):
            library.ingest(folder)
    assert "sold" not in str(search(tmp_path / "two", name, url, "valve of hall 3 sold"))
    library.ingest(folder)
    assert "sold" in search(tmp_path / "two", name, url, "valve of hall 3 sold")[0][0][2]


def test_many_machines_ask_while_one_ingests(tmp_path, url, folder, name):
    library = Library(tmp_path / "one", name, url)
    library.ingest(folder)
    versions = dict.fromkeys(SHEETS.values(), True)
    failures: list[str] = []
    done = threading.Event()

    def ask(home: Path) -> None:
        try:
            while True:
                last = done.is_set()
                _, texts, _ = search(home, name, url)
                torn = [text for text in texts.values() if text not in versions]
                failures.extend(f"torn: {text!r}" for text in torn)
                if last:
                    return
        except CragError as error:
            failures.append(repr(error))

    threads = [threading.Thread(target=ask, args=(tmp_path / f"asker{n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(3):
        for number in range(turn, 30, 3):
            text = f"# Sheet {number}\n\nThe valve of hall {number} opens at {turn}{number} bar.\n"
            versions[text] = True
            (folder / f"sheet{number}.md").write_text(text)
        library.ingest(folder)
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    expected = search(tmp_path / "one", name, url)
    for number in range(3):
        assert search(tmp_path / f"asker{number}", name, url) == expected


def test_long_documents_travel_in_parts_to_the_character(tmp_path, url, name):
    texts = [f"Paragraph {n} of the log says {n * 7}.\n\n" for n in range(900)]
    with open_writer(tmp_path / "one", name, EMBEDDER.identity, store=url) as writer:
        writer.put(document("log.txt"), parts("log.txt", texts))
        writer.put(document("blank.txt"), [part("blank.txt", " \n\n ")])
    search(tmp_path / "two", name, url)
    for home in ("one", "two"):
        with closing(open_collection(tmp_path / home, name, EMBEDDER)) as reader:
            assert reader.document_text("log.txt") == "".join(texts)
            assert reader.document_text("blank.txt") == " \n\n "
            found = reader.search("Paragraph 871 of the log", 3)
            assert "Paragraph 871 " in found[0]["text"]
    ids = [chunk["chunk_id"] for chunk in found]
    with (
        closing(open_collection(tmp_path / "one", name, EMBEDDER)) as one,
        closing(open_collection(tmp_path / "two", name, EMBEDDER)) as two,
    ):
        assert np.array_equal(one.vectors(ids), two.vectors(ids))


def test_a_server_that_holds_something_else_is_one_error(tmp_path, url, folder, name):
    library = Library(tmp_path / "one", name, url)
    library.ingest(folder)
    with closing(connect(tmp_path / "one")) as db:
        (uid,) = db.execute("SELECT uid FROM collections").fetchone()
    with own_shelf(url, name, uid, EMBEDDER.identity) as shelf:
        whole = whole_documents(shelf.identifiers())
        shelf.write([(sorted(whole)[4], "bm9uc2Vuc2U=")])
    with pytest.raises(RemoteStoreError, match="is damaged"):
        search(tmp_path / "two", name, url)
    # What came before the damage is not taken for the collection, now or while it lasts.
    with pytest.raises(RemoteStoreError, match="is damaged"):
        search(tmp_path / "two", name, url)
    (folder / "sheet1.md").write_text("# Sheet 1\n\nA new valve.\n")
    with own_shelf(url, name, uid, EMBEDDER.identity) as shelf:
        shelf.remove({sorted(whole)[4]})
    library.ingest(folder)
    assert search(tmp_path / "two", name, url)[:2] == search(tmp_path / "one", name, url)[:2]


def test_the_command_line_asks_a_server_from_an_empty_home(tmp_path, url, folder, name):
    def crag(home: str, *arguments: object):
        return CliRunner().invoke(
            app,
            [str(each) for each in arguments],
            env={"CRAG_HOME": str(tmp_path / home), "CRAG_STORE": url, "CRAG_COLLECTION": name},
        )

    assert crag("one", "ingest", folder, "-q").exit_code == 0
    answer = crag("two", "ask", "At how many bar does the valve of hall 7 open?", "--json")
    assert answer.exit_code == 0, answer.output
    assert "7 bar" in json.loads(answer.stdout)["answer"]
    assert url in crag("two", "status").stdout
    assert crag("two", "doctor").exit_code == 0
    refused = crag("two", "ingest", folder)
    assert refused.exit_code == 2
    assert "is a copy of the one on" in refused.stderr


def test_an_older_catalog_learns_what_is_shared(tmp_path, url, name):
    with open_writer(tmp_path / "one", name, EMBEDDER.identity) as writer:
        writer.put(document("a.md"), [part("a.md", "The lantern is lit at dusk.")])
    with closing(sqlite3.connect(catalog_path(tmp_path / "one"))) as db:
        db.execute("DROP TABLE shares")
        db.execute("DROP TABLE names")
        db.execute("ALTER TABLE chunks DROP COLUMN blocks")
        db.execute("ALTER TABLE documents DROP COLUMN seal")
        db.execute("ALTER TABLE documents DROP COLUMN recognized")
        db.execute("ALTER TABLE collections DROP COLUMN lexical_seal")
        db.execute("PRAGMA user_version = 1")
    with open_writer(tmp_path / "one", name, EMBEDDER.identity, store=url) as writer:
        assert writer.totals() == (1, 1)
    with closing(connect(tmp_path / "one")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (schema.SCHEMA_VERSION,)
    assert search(tmp_path / "two", name, url)[1] == {"a.md": "The lantern is lit at dusk."}


def packed(fields: object) -> str:
    return base64.b64encode(zlib.compress(json.dumps(fields).encode())).decode()


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_a_head_comes_back_as_it_was(source, title, warnings):
    sent = document(source, title=title, warnings=tuple(warnings))
    head = unpack_head(pack_head(sent, 3), "key")
    got = head.document
    assert (got.source, got.title, got.warnings, head.parts) == (source, title, tuple(warnings), 3)
    assert (got.path, got.content_hash) == (None, "key")


@given(st.binary(max_size=200) | st.text(max_size=200) | st.none() | st.integers())
def test_no_reply_of_a_server_is_more_than_damaged(data):
    for value in (data, packed({"source": 1, "parts": str(data)}), packed([str(data)])):
        with pytest.raises(RecordDamaged):
            unpack_head(value, "key")
        with pytest.raises(RecordDamaged):
            unpack_part(value, document("a.md"), 0, 256)


def test_parts_that_lie_about_themselves_are_damaged():
    sent = part("a.md", "The lantern is lit at dusk.")
    good = json.loads(zlib.decompress(base64.b64decode(pack_part("", sent))))
    assert unpack_part(packed(good), document("a.md"), 0, 256).text == sent.text
    nan = base64.b64encode(np.full(256, np.nan, dtype=np.float16).tobytes()).decode()
    for lie in (
        {"chunks": [[0, 900, 1, 1, None, ""]]},
        {"chunks": [[-3, 5, 1, 1, None, ""]]},
        {"chunks": [[0, 5, 1, 1, None]]},
        {"chunks": []},
        {"vectors": nan},
        {"vectors": "AAAA"},
        {"text": None},
    ):
        with pytest.raises(RecordDamaged):
            unpack_part(packed({**good, **lie}), document("a.md"), 0, 256)
    bomb = base64.b64encode(zlib.compress(b" " * (65 << 20))).decode()
    with pytest.raises(RecordDamaged, match="larger"):
        unpack_part(bomb, document("a.md"), 0, 256)
