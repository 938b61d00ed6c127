"""What opens a door is in no output and in no file."""

import base64
import contextlib

import psycopg
import pytest
from crag import crag
from scripted_server import ScriptedServer, status

from state.settings import Settings
from state.wording import redact_urls

KEYS = {name for name, field in Settings.model_fields.items() if "SecretStr" in str(field)}
DATABASES = {"store", "threads"}
ADDRESSES = DATABASES | {"base_url", "web_url", "chroma_url"}
COMMANDS = [
    ["config", "show"],
    ["config", "show", "--json"],
    ["ingest", "railway.md"],
    ["status", "--json"],
    ["doctor", "--json"],
    ["search", "tunnel"],
    ["ask", "How long is the tunnel?", "--engine", "local", "--events"],
    ["ask", "How long is the tunnel?", "--engine", "local", "--web", "-t", "railway", "--debug"],
    ["ask", "Who is the mayor of Tokyo?", "--engine", "local", "--web", "--trace", "--events"],
    ["ask", "How long is the tunnel?", "--engine", "openai", "--debug"],
    ["research", "How long is the tunnel?", "--engine", "openai"],
    ["trace", "last", "--json"],
    ["threads", "list"],
    ["threads", "export", "railway"],
    ["collections", "list", "--json"],
]


def secret_of(name):
    return f"hunter2{name.replace('_', '')}"


def database(name):
    return f"postgresql://me:{secret_of(name)}@127.0.0.1:9/db?password={secret_of(name)}"


class Telltale(ScriptedServer):
    """A server that refuses, and says what it was sent."""

    def answer(self, request):
        return status(401, f"no entry for {request}")({})

    page = answer


@pytest.fixture
def telltale():
    with Telltale() as server:
        yield server.host


def run(work, *arguments, **settings):
    (work / "railway.md").write_text("# Railway\n\nThe tunnel is 1,204 metres long.\n")
    named = {f"CRAG_{name.upper()}": value for name, value in settings.items()}
    with contextlib.chdir(work):
        return crag(work / "home", *arguments, **{"CRAG_ENGINE": None, **named})


def test_every_setting_that_can_hold_a_secret_is_tried():
    ends = ("url", "key", "endpoint", "store", "threads", "headers")
    named = {name for name in Settings.model_fields if name.endswith(ends)}
    assert named <= KEYS | ADDRESSES


def test_no_secret_is_shown_or_kept(tmp_path, telltale):
    settings = {name: secret_of(name) for name in KEYS}
    settings["base_url"] = f"http://{telltale}/v1?api_key={secret_of('base_url')}"
    settings["web_url"] = f"http://me:{secret_of('web_url')}@{telltale}/search"
    settings["threads"] = database("threads")
    settings |= {"max_retries": "0", "request_timeout": "5"}
    said = {tuple(command): run(tmp_path, *command, **settings) for command in COMMANDS}
    chroma = f"http://me:{secret_of('chroma_url')}@{telltale}?api_key={secret_of('chroma_url')}"
    for other in ({"store": database("store")}, {"chroma_url": chroma}):
        for words in ("ingest railway.md", "ask How?", "doctor", "status", "config show"):
            said[*other, *words.split()] = run(tmp_path, *words.split(), **settings, **other)
    for ran in said.values():
        assert ran.exit_code != 1, ran.stderr
    assert said["ingest", "railway.md"].exit_code == 0
    told = said["ask", "How long is the tunnel?", "--engine", "openai", "--debug"]
    assert (told.exit_code, telltale in told.stderr) == (5, True)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert "home.db" in {path.name for path in files}
    for name in KEYS | ADDRESSES:
        secret = secret_of(name)
        basic = base64.b64encode(f"me:{secret}".encode()).decode()
        for word in (secret, basic):
            shown = [" ".join(each) for each, r in said.items() if word in r.stdout + r.stderr]
            assert shown == [], name
            assert [path.name for path, data in files.items() if word.encode() in data] == [], name


def test_the_password_of_a_database_that_answers_stays_where_it_was_written(tmp_path, postgres):
    url = postgres.url.replace("postgres@", "postgres:hunter2@")
    assert "hunter2" in url
    for settings in ({"threads": url}, {"store": url, "store_schema": "told"}):
        for command in (
            ["ingest", "railway.md"],
            ["ask", "How long is the tunnel?", "-t", "railway", "--events", "--debug"],
            ["threads", "export", "railway"],
            ["trace", "last", "--json"],
            ["collections", "show", "default", "--json"],
            ["status", "--json"],
            ["doctor", "--json"],
            ["config", "show"],
        ):
            ran = run(tmp_path, *command, **settings)
            assert ran.exit_code == 0, ran.stderr
            assert "hunter2" not in ran.stdout + ran.stderr
    assert [f for f in tmp_path.rglob("*") if f.is_file() and b"hunter2" in f.read_bytes()] == []
    with psycopg.connect(postgres.url) as db:
        tables = db.execute(
            "select format('%I.%I', schemaname, tablename) from pg_tables"
            " where schemaname not in ('pg_catalog', 'information_schema')"
        ).fetchall()
        held = {of: str(db.execute(f"select t::text from {of} t").fetchall()) for (of,) in tables}
    assert any("railway" in told for told in held.values())
    assert [table for table, told in held.items() if "hunter2" in told] == []


def test_a_password_is_refused_where_it_would_be_noted(tmp_path):
    settings = {"base_url": f"http://me:{secret_of('base_url')}@127.0.0.1:9"}
    assert run(tmp_path, "ingest", "railway.md").exit_code == 0
    for command in (["config", "show"], ["ingest", "railway.md"], ["ask", "How long?"]):
        ran = run(tmp_path, *command, **settings)
        assert secret_of("base_url") not in ran.stdout + ran.stderr
    assert (ran.exit_code, ran.stderr.count("\n")) == (4, 1)
    assert "base_url" in ran.stderr.lower()


@pytest.mark.parametrize("name", sorted(ADDRESSES))
@pytest.mark.parametrize("after", ["/x@127.0.0.1:9/db", "#@127.0.0.1/db", "@[::1/db"])
def test_what_cannot_be_read_as_a_url_is_refused_and_not_shown(tmp_path, name, after):
    scheme = "postgresql" if name in DATABASES else "http"
    url = f"{scheme}://me:{secret_of(name)}{after}"
    ran = run(tmp_path, "config", "show", **{name: url})
    assert (ran.exit_code, ran.stdout, ran.stderr.count("\n")) == (4, "", 1)
    assert "it is no URL" in ran.stderr
    assert secret_of(name) not in ran.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://me:pw@host:8000/a", "http://***@host:8000/a"),
        ("http://me:p@w@host", "http://***@host"),
        ("postgresql://me:pw@h/db?password=x&sslmode=require", "postgresql://***@h/db?password=***&sslmode=require"),
        ("https://host/search?q=a&api_key=b", "https://host/search?q=a&api_key=***"),
        ("write to me@host.example about http://host/@me", "write to me@host.example about http://host/@me"),
    ],
)  # fmt: skip
def test_urls_are_masked_and_nothing_else_is(text, shown):
    assert redact_urls(text) == shown
