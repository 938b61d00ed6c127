"""What opens a door is in no output and in no file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from state.urls import masked

ROOT = Path(__file__).parents[2]
SECRET = "hunter2"
WHERE = "nobody.invalid:9"
SETTINGS = {
    "CRAG_STORE": f"postgresql://me:{SECRET}@127.0.0.1:9/db",
    "CRAG_STORE_READ": f"postgresql://me:{SECRET}@127.0.0.1:9/db",
    "CRAG_THREADS": f"postgresql://me:{SECRET}@127.0.0.1:9/db",
    "CRAG_WEB_URL": f"http://me:{SECRET}@127.0.0.1:9/search?api_key={SECRET}",
    "CRAG_BASE_URL": f"http://me:{SECRET}@127.0.0.1:9/v1",
    "CRAG_EMBEDDING_BASE_URL": f"http://me:{SECRET}@127.0.0.1:9/v1",
    "CRAG_OTLP_ENDPOINT": f"http://me:{SECRET}@127.0.0.1:9",
    "CRAG_API_KEY": SECRET,
    "CRAG_EMBEDDING_API_KEY": SECRET,
    "CRAG_OTLP_HEADERS": f"authorization={SECRET}",
}
COMMANDS = [
    ["config", "show"],
    ["config", "show", "--json"],
    ["status", "--json"],
    ["doctor"],
    ["ingest", "railway.md"],
    ["ask", "How long is the tunnel?", "--engine", "local", "--web", "-t", "railway"],
    ["ask", "How long is the tunnel?", "--engine", "local", "--web", "--trace", "--events"],
    ["ask", "Who is the mayor of Tokyo?", "--engine", "openai", "--debug"],
    ["threads", "list"],
    ["collections", "list", "--json"],
]


@pytest.mark.parametrize("name", SETTINGS)
def test_no_password_is_shown_or_kept(tmp_path, name):
    (tmp_path / "railway.md").write_text("# Railway\n\nThe tunnel is 1,204 metres long.\n")
    home = tmp_path / "home"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CRAG_HOME": str(home)}
    environment |= {name: SETTINGS[name], "CRAG_MAX_RETRIES": "0", "CRAG_REQUEST_TIMEOUT": "2"}
    if name == "CRAG_EMBEDDING_BASE_URL":
        environment["CRAG_EMBEDDER"] = "openai"
    for command in COMMANDS:
        ran = subprocess.run(
            [sys.executable, "-m", "cli", *command],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert SECRET not in ran.stdout + ran.stderr, (command, ran.stdout, ran.stderr)
        assert ran.returncode != 1, ran.stderr
    held = [path for path in home.rglob("*") if path.is_file()]
    assert [path.name for path in held if SECRET.encode() in path.read_bytes()] == []


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
    assert masked(text) == shown
