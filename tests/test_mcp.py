from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from ingest_runs import Library
from mcp import Client, StdioServerParameters

ROOT = Path(__file__).parent.parent
READING = {"ask", "search", "sources", "read_source", "status", "thread_history"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "line.md").write_text("# The line\n\nThe railway opened on 14 June 1897.\n")
    (folder / "dogs.md").write_text("# Dogs\n\nDogs travel free in the guard's van.\n")
    return folder


@pytest.fixture(scope="module")
def home(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    Library(home).ingest(folder)
    return home


def stdio(home: Path, *flags: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "cli", "mcp", "--engine", "local", "--home", str(home), *flags],
        cwd=str(ROOT),
    )


def run(transport: Any, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The results of tool calls in one connection of the official client."""

    async def main() -> list[Any]:
        async with Client(transport) as client:
            return [await client.call_tool(name, given) for name, given in calls]

    return anyio.run(main)


def content(result: Any) -> Any:
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


def test_every_tool_answers_over_stdio(home: Path):
    asked, found, listed, read, status, turns = run(
        stdio(home),
        ("ask", {"question": "On what date did the railway open?"}),
        ("search", {"query": "dogs", "k": 2}),
        ("sources", {}),
        ("read_source", {"source": "dogs.md"}),
        ("status", {}),
        ("thread_history", {"thread": "none"}),
    )
    answer = content(asked)
    assert answer["status"] == "answered"
    assert "14 June 1897" in answer["answer"]
    assert content(found)[0]["source"].endswith("dogs.md")
    assert len(content(listed)) == 2
    assert "guard's van" in content(read)["text"]
    assert content(status)["documents"] == 2
    assert content(turns) == []


def test_malformed_and_reaching_calls_are_tool_errors_and_the_server_goes_on(home: Path):
    *bad, good = run(
        stdio(home),
        ("ask", {"question": ""}),
        ("ask", {"question": "x" * 50_000}),
        ("search", {"query": "dogs", "k": 10_000}),
        ("read_source", {"source": "/etc/passwd"}),
        ("read_source", {"source": "../../etc/passwd"}),
        ("ask", {"question": 7}),
        ("search", {}),
        ("status", {}),
    )
    assert all(result.is_error for result in bad)
    assert not any("root:" in part.text for result in bad for part in result.content)
    assert content(good)["documents"] == 2


def test_tools_only_read_unless_ingest_is_allowed(home: Path, folder: Path):
    async def names(transport: Any) -> set[str]:
        async with Client(transport) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert anyio.run(names, stdio(home)) == READING
    assert anyio.run(names, stdio(home, "--allow-ingest")) == {*READING, "ingest"}
    outside, known = run(
        stdio(home, "--allow-ingest"),
        ("ingest", {"paths": ["/etc"]}),
        ("ingest", {"paths": [str(folder)]}),
    )
    assert outside.is_error
    assert content(known)["unchanged"] == 2


@pytest.fixture
def served(home: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "cli", "mcp", "--engine", "local", "--home", str(home)]
    process = subprocess.Popen([*command, "--http", str(port)], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, "the server ended at once"
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(30)


def test_the_same_tools_answer_over_http_on_loopback(served: str):
    (status,) = run(served, ("status", {}))
    assert content(status)["documents"] == 2


def test_other_hosts_and_origins_are_refused(served: str):
    import httpx

    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Accept": "application/json, text/event-stream"}
    with httpx.Client(trust_env=False) as client:
        for odd in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            reply = client.post(served, json=body, headers={**headers, **odd})
            assert reply.status_code in (400, 403, 421)


@pytest.mark.parametrize(
    "count", [40, pytest.param(1000, marks=pytest.mark.slow)], ids=["short", "long"]
)
def test_many_calls_in_one_connection(home: Path, count: int):
    calls = [("search", {"query": f"dogs {n}", "k": 2}) for n in range(count)]
    results = run(stdio(home), *calls)
    assert all(not result.is_error for result in results)
