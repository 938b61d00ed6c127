"""Who may do what in a shared store."""

import re
import subprocess
from pathlib import Path

import psycopg
import pytest
from crag import crag
from ports import free_port
from postgres_server import find_pg_ctl
from psycopg import sql
from shared_stores import ask, assert_sound, fill

from rag.index.postgres.store import PostgresStore
from state.errors import RemoteStoreError, UsageError

ROOT = Path(__file__).parents[2]
TEXTS = {f"{n}.md": f"The motor {n} runs well in winter." for n in range(6)}
pytestmark = pytest.mark.parametrize("store", ["postgres"], indirect=True)


def documented(store, heading: str) -> str:
    """The SQL of the team's page under a heading, for this store's schema and roles of its own."""
    page = (ROOT / "docs" / "team.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"## {heading}\n.*?```sql\n(.*?)```", page, re.DOTALL)
    words = {r"\bcrag\.": f"{store.schema}.", r"SCHEMA crag\b": f"SCHEMA {store.schema}"}
    words |= {rf"\b{role}\b": f"{store.schema}_{role}" for role in ("asking", "ingesting")}
    for pattern, word in words.items():
        block = re.sub(pattern, word, block)
    return block


def run_sql(store, statements: str) -> None:
    with psycopg.connect(store.url, autocommit=True) as db:
        db.execute(statements)


def user(store, *roles: str, name: str = "someone"):
    """The store as a person of these roles sees it."""
    person = sql.Identifier(f"{store.schema}_{name}")
    granted = sql.SQL(", ").join(sql.Identifier(f"{store.schema}_{role}") for role in roles)
    with psycopg.connect(store.url, autocommit=True) as db:
        db.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'hunter2'").format(person))
        db.execute(sql.SQL("GRANT {} TO {}").format(granted, person))
    url = store.url.replace("postgres@", f"{store.schema}_{name}:hunter2@")
    return PostgresStore(url, store.schema)


def test_a_role_that_may_read_asks_and_what_it_asks_stays_at_home(store, tmp_path, monkeypatch):
    fill(store, TEXTS)
    run_sql(store, documented(store, "Roles"))
    reader = user(store, "asking")
    assert ask(reader, "motor 3", 1) == ["3.md"]
    assert reader.summaries()[0].documents == 6
    with pytest.raises(RemoteStoreError, match="permission denied"):
        fill(reader, {"no.md": "no"})
    with pytest.raises(RemoteStoreError, match="permission denied"):
        reader.delete("default")
    monkeypatch.setenv("CRAG_STORE", reader.url)
    monkeypatch.setenv("CRAG_STORE_SCHEMA", store.schema)
    answered = crag(tmp_path, "ask", "Which motor runs well in winter?", "--trace")
    assert answered.exit_code == 0, answered.output
    assert crag(tmp_path, "ask", "-t", "line", "And the motor 3?").exit_code in (0, 3)
    assert "line" in crag(tmp_path, "threads", "list").stdout
    assert len(crag(tmp_path, "trace", "list").stdout.splitlines()) == 2
    for words in (("doctor",), ("status",), ("config", "show"), ("ingest", str(ROOT))):
        assert "hunter2" not in crag(tmp_path, *words).output
    assert (tmp_path / "home.db").exists()


def test_a_role_that_may_ingest_need_not_own_the_schema(store):
    fill(store, TEXTS)
    run_sql(store, documented(store, "Roles"))
    writer = user(store, "ingesting")
    fill(writer, {"new.md": "A new pump."})
    fill(writer, {"own.md": "A valve."}, "another")
    assert ask(writer, "pump", 1) == ["new.md"]
    with writer.open_writer("another") as opened:
        opened._new = 1_000  # as if much had been written
    with psycopg.connect(writer.url) as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
        db.execute(f"SELECT {store.schema}.forget_index(1)")
    writer.delete("another")
    assert store.names() == ["default"]
    assert_sound(store)


def test_rows_of_other_teams_are_not_seen(store):
    own = f"{store.schema}_sales"
    fill(store, {**TEXTS, "plan.md": "A plan of it."}, f"{own}-plans")
    fill(store, {"secret.md": "The secret motor."}, "research-notes")
    run_sql(store, documented(store, "Roles"))
    run_sql(store, documented(store, "Rights by collection"))
    sales = user(store, "asking", "ingesting", name="sales")
    assert sales.names() == [f"{own}-plans"]
    assert ask(sales, "motor 3", 1, f"{own}-plans") == ["3.md"]
    with pytest.raises(UsageError, match="no collection 'research-notes'"):
        ask(sales, "motor", 1, "research-notes")
    with psycopg.connect(sales.url) as db:
        db.execute(f"SET search_path = {store.schema}")
        for table in ("chunks", "lexical", "vocabulary", "documents", "texts"):
            found = db.execute(f"SELECT count(DISTINCT collection_id) FROM {table}").fetchone()
            assert found == (1,), table
    fill(sales, {"new.md": "A new pump."}, f"{own}-more")
    with pytest.raises(RemoteStoreError, match="row-level security"):
        fill(sales, {"new.md": "A new pump."}, "research-more")
    assert store.names() == ["research-notes", f"{own}-more", f"{own}-plans"]
    assert_sound(store, f"{own}-more")


def test_doctor_looks_at_the_store_and_says_what_mends_it(store, tmp_path, monkeypatch):
    fill(store, TEXTS)
    monkeypatch.setenv("CRAG_STORE", store.url)
    monkeypatch.setenv("CRAG_STORE_SCHEMA", store.schema)
    told = crag(tmp_path, "doctor")
    assert told.exit_code == 0, told.output
    assert re.search(r"store: .* replies; schema .*, \d+ collections?", told.output)
    monkeypatch.setenv("CRAG_STORE", f"postgresql://me:hunter2@127.0.0.1:{free_port()}/d")
    told = crag(tmp_path, "doctor")
    assert told.exit_code == 4
    assert "hunter2" not in told.output


def test_a_dump_brings_everything_back(store, postgres, tmp_path):
    fill(store, TEXTS)
    dump = find_pg_ctl().with_name("pg_dump")
    if not dump.exists():
        pytest.skip("no pg_dump here")
    file = tmp_path / "store.sql"
    subprocess.run([dump, "-n", store.schema, "-f", file, store.url], check=True)
    store_sql = file.read_text()
    run_sql(store, f"DROP SCHEMA {store.schema} CASCADE")
    subprocess.run(
        [dump.with_name("psql"), "-q", "-v", "ON_ERROR_STOP=1", "-f", file, postgres.url],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    assert "lexical" in store_sql
    assert ask(store, "motor 3", 1) == ["3.md"]
    assert_sound(store)
