"""A shared store on a real PostgreSQL: as the catalog at home, for many at once."""

import json
import os
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from index_samples import entry
from ingest_runs import Library
from postgres_server import running_postgres
from shared_stores import ask, fill, new_store

from rag.index.candidates import query_terms
from rag.index.home.store import HomeStore
from rag.index.postgres import database
from rag.index.postgres import store as postgres_store
from rag.index.postgres.store import PostgresStore
from rag.ingest.staleness import staleness
from rag.session import open_session
from state.errors import RemoteStoreError

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_corpus"
GERMAN = {
    "fischer.md": "Die Häuser der Fischer haben grüne Türen. Ein Haus steht leer.",
    "pfanne.md": "Drei Pfannen wurden bis 1902 mit Torf geheizt, in jedem Haus eine.",
}
QUERIES = [json.loads(line)["text"] for line in (SAMPLE / "questions.jsonl").open(encoding="utf-8")]
OPEN = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE %s"


@pytest.fixture
def store(postgres) -> PostgresStore:
    """An empty schema of its own."""
    return new_store(postgres.url)


@pytest.fixture
def library(store, tmp_path) -> Library:
    return Library(tmp_path / "home", store=store.url, store_schema=store.schema)


@pytest.fixture(scope="module")
def both(postgres, tmp_path_factory) -> tuple[HomeStore, PostgresStore]:
    """The sample corpus and a few lines of German, with removals and changes, at home and in
    Postgres.
    """
    home = tmp_path_factory.mktemp("home")
    stores = HomeStore(home), PostgresStore(postgres.url, "both_stores")
    texts = {
        str(path.relative_to(SAMPLE)): path.read_text(encoding="utf-8")
        for path in sorted(SAMPLE.rglob("*"))
        if path.suffix in (".md", ".html", ".csv", ".txt", ".eml")
    }
    assert len(texts) > 10
    texts |= GERMAN | {"gone.md": "The Corbel Tunnel is gone.", "kept.md": "An old text."}
    for store in stores:
        fill(store, texts)
        with store.open_writer("default") as opened:
            opened.put_all([entry("kept.md", "The kept text of the valley.")])
            assert opened.remove(["gone.md", "never.md"]) == 1
            opened.put_all([entry("rules/rfc-0403.md", "The rule of doors.")])
    return stores


def top_ten(both, queries):
    """The chunks that both find for each query."""
    local, shared = (store.open_collection("default") for store in both)
    with closing(local), closing(shared):
        assert shared.chunk_count == local.chunk_count
        assert shared.document_count == local.document_count
        for query in queries:
            yield local.search(query, 10), shared.search(query, 10)


def test_the_rankings_are_nearly_those_of_the_catalog(both):
    german = ["Wie viele Türen hat ein Haus?", "Womit hat man eine Pfanne geheizt?"]
    asked = [*QUERIES[::2], *german, "RFC 403", "the", "", "tunnel " * 2_000]
    same = total = firsts = 0
    for here, there in top_ten(both, asked):
        known = {chunk["chunk_id"]: chunk for chunk in here}
        common = [chunk for chunk in there if chunk["chunk_id"] in known]
        same, total = same + len(common), total + len(here)
        firsts += here[0]["chunk_id"] == there[0]["chunk_id"]
        for chunk in common:
            one = known[chunk["chunk_id"]]
            scored = dict.fromkeys(("score", "lexical_rank", "dense_rank"), 0)
            assert {**one, **scored} == {**chunk, **scored}
    assert same >= 0.95 * total
    assert firsts >= 0.97 * len(asked)


def test_a_reader_answers_like_the_catalogs(both):
    local, shared = (store.open_collection("default") for store in both)
    words = sorted({term for query in QUERIES for term in query_terms(query)})
    with closing(local), closing(shared):
        assert shared.document_frequencies(words) == local.document_frequencies(words)
        assert shared.held_words(["tunnel"]) == local.held_words(["tunnel"])
        source = local.search("tunnel", 1)[0]["source"]
        assert shared.document_text(source) == local.document_text(source)
        assert shared.document(source) == local.document(source)
        assert shared.document_text("no.md") is None
        assert shared.document("no.md") is None


def test_tables_that_cannot_be_made_are_left_out_altogether(store, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(database, "_INDEXES", "CREATE TABLE b (); SELECT 1/0")
        with pytest.raises(RemoteStoreError, match="division"):
            fill(store, {"a.md": "motor"})
    fill(store, {"a.md": "motor"})
    assert ask(store, "motor") == ["a.md"]


def test_many_vectors_get_an_index_and_are_found_by_it(store, monkeypatch):
    monkeypatch.setattr(postgres_store, "EXACT_CHUNKS", 100)
    monkeypatch.setattr(postgres_store, "_SETTLE_CHUNKS", 10)
    fill(store, {f"{n}.md": f"sheet {n} of motor {n * 7}" for n in range(300)})
    with psycopg.connect(store.url) as db:
        assert db.execute(
            "SELECT count(*) FROM pg_indexes WHERE schemaname = %s AND indexdef ~ 'hnsw'",
            (store.schema,),
        ).fetchone() == (1,)
    for number in (0, 77, 299):
        assert ask(store, f"sheet {number} of motor {number * 7}", 1) == [f"{number}.md"]


def test_of_chunks_with_a_common_term_the_telling_are_found(store):
    texts = {f"{n}.md": "motor " + "pump valve " * 40 + f"sheet{n}" for n in range(200)}
    texts |= {"short.md": "motor motor motor", "also.md": "motor pump"}
    fill(store, texts)
    assert ask(store, "motor", 1) == ["short.md"]
    assert ask(store, "sheet7", 1) == ["7.md"]


def test_a_server_that_was_started_again_is_asked_again():
    with running_postgres() as server:
        store = PostgresStore(server.url, "crag")
        fill(store, {"a.md": "motor"})
        with closing(store.open_collection("default")) as reader:
            assert reader.search("motor", 1)
            server.stop()
            with pytest.raises(RemoteStoreError, match="failed"):
                reader.search("motor", 1)
            server.start()
            assert reader.search("motor", 1)
            server.stop()
            server.start()
            assert reader.search("motor", 1)


def test_files_of_another_machine_are_not_looked_for(tmp_path, library, store):
    (tmp_path / "a.md").write_text("A motor.")
    library.ingest(tmp_path / "a.md")
    (tmp_path / "a.md").unlink()
    assert staleness(store, "default").gone == 1
    assert library.roots_here
    with psycopg.connect(store.url) as db:
        db.execute(f"UPDATE {store.schema}.roots SET host = 'another'")
    assert staleness(store, "default").files == 0
    assert not library.roots_here


def test_a_session_that_ends_leaves_no_connection_open(tmp_path, library, store):
    (tmp_path / "a.md").write_text("A motor.")
    library.ingest(tmp_path / "a.md")
    asked = psycopg.connect(store.url, autocommit=True)
    with asked as db, open_session(library.settings) as session:
        assert session.ask("What is a motor?")["answer"]
        assert db.execute(OPEN, (f"crag {os.getpid()} on%",)).fetchone() > (0,)
        session.close()
        ended = time.monotonic() + 20  # the server's side of one ends a moment later
        while db.execute(OPEN, (f"crag {os.getpid()} on%",)).fetchone() > (0,):
            assert time.monotonic() < ended
