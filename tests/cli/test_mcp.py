from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pexpect
import pytest
from forked_program import crag_program
from ingest_runs import Library
from mcp import Client, MCPError, StdioServerParameters
from served_mcp import served

from rag.session import open_session
from state.choices import EngineName
from state.settings import Settings

ROOT = Path(__file__).parents[2]
READING = {"ask", "search", "sources", "read_source", "status", "thread_history"}
OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


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


def stdio(home: Path, *flags: str, program: tuple[str, ...] | None = None) -> StdioServerParameters:
    command, *words = program or (crag_program(),)
    return StdioServerParameters(
        command=command,
        args=[*words, "mcp", "--engine", "local", "--home", str(home), *flags],
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
        stdio(home, program=(sys.executable, "-m", "cli")),
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
    assert content(found)["results"][0]["source"].endswith("dogs.md")
    assert content(listed) == {"sources": ["dogs.md", "line.md"]}
    assert "guard's van" in content(read)["text"]
    assert content(status)["documents"] == 2
    assert content(turns) == {"turns": [], "left_out": 0}


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
        ("search", {"query": "dogs", "limit": 3}),
        ("status", {}),
    )
    assert "limit" in bad[-1].content[0].text
    assert all(result.is_error for result in bad)
    assert not any("root:" in part.text for result in bad for part in result.content)
    assert content(good)["documents"] == 2


def test_half_a_surrogate_pair_gets_a_reply(home: Path):
    call = {"name": "search", "arguments": {"query": "dogs QUERY"}}
    ask = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
    ask = ask.replace("QUERY", r"\ud800 \ud83d\ude00")
    parameters = stdio(home)
    server = subprocess.Popen(
        [parameters.command, *parameters.args],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    server.stdin.write(f"{json.dumps(OPENING)}\n{initialized}\n{ask}\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 1
    replied = json.loads(server.stdout.readline())
    assert replied["id"] == 2
    assert "guard's van" in replied["result"]["content"][0]["text"]
    server.stdin.close()
    assert server.wait(60) == 0
    server.stdout.close()
    assert server.stderr is not None
    server.stderr.close()


def test_a_person_at_a_terminal_is_told_what_it_waits_for(home: Path):
    parameters = stdio(home)
    child = pexpect.spawn(
        parameters.command, parameters.args, cwd=str(ROOT), encoding="utf-8", timeout=60
    )
    child.expect(r"This serves an agent over standard input; Ctrl-C ends it\.")
    child.send("\x03")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


def test_a_taken_port_is_said_instead_of_listening(home: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        parameters = stdio(home, "--http", str(port))
        ran = subprocess.run(
            [parameters.command, *parameters.args], cwd=ROOT, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (4, "")
    assert ran.stderr == (
        f"crag: 127.0.0.1:{port} cannot be listened on: Address already in use."
        " Choose another port.\n"
    )


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


@pytest.fixture(scope="module", name="served")
def _served(home: Path) -> Iterator[str]:
    with served(home) as address:
        yield address


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


def test_nothing_of_another_collection_is_told(home: Path, tmp_path: Path):
    (tmp_path / "secret.md").write_text("# Plans\n\nThe vault code of the bank is 7781.\n")
    Library(home, collection="private").ingest(tmp_path)
    question = "What is the vault code of the bank?"
    for name, asked in (("private", question), ("default", "On what date did the railway open?")):
        settings = Settings(home=home, engine=EngineName.LOCAL, collection=name)
        with open_session(settings) as session:
            assert session.ask(asked, thread="mixed")["status"] == "answered"
    results = run(
        stdio(home),
        ("thread_history", {"thread": "mixed"}),
        ("ask", {"question": question}),
        ("search", {"query": "vault code", "k": 50}),
        ("sources", {}),
        ("sources", {"after": "s"}),
        ("read_source", {"source": "secret.md"}),
        ("read_source", {"source": str(tmp_path / "secret.md")}),
        ("status", {}),
    )
    said = [str(result.content) for result in results]
    assert not any("7781" in text or "secret.md" in text for text in said[:5]), said
    assert not any("7781" in text or str(tmp_path) in text for text in said[5:] if "{" in text)
    newest, other = content(results[0])["turns"]
    assert "1897" in newest["answer"]
    assert other == {"turn": 1, "withheld": "not of this collection"}
    assert results[5].is_error
    assert results[6].is_error


def test_a_folder_that_became_a_link_elsewhere_is_not_followed(tmp_path: Path):
    files, elsewhere = tmp_path / "files", tmp_path / "elsewhere"
    for folder in (files, elsewhere):
        folder.mkdir()
        (folder / "a.md").write_text(f"# {folder.name}\n\nThis is {folder.name}.\n")
    Library(tmp_path / "home").ingest(files)
    files.rename(tmp_path / "moved")
    files.symlink_to(elsewhere)
    named, all_, status = run(
        stdio(tmp_path / "home", "--allow-ingest"),
        ("ingest", {"paths": [str(files)]}),
        ("ingest", {"paths": []}),
        ("status", {}),
    )
    assert named.is_error
    assert all_.is_error
    assert content(status)["documents"] == 1


def test_what_an_agent_ingested_is_found_at_once(tmp_path: Path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.md").write_text("# Dogs\n\nDogs travel free.\n")
    Library(tmp_path / "home").ingest(files)

    async def main() -> list[Any]:
        async with Client(stdio(tmp_path / "home", "--allow-ingest")) as client:
            before = await client.call_tool("search", {"query": "ferry harbour"})
            (files / "b.md").write_text("# Ferry\n\nThe ferry leaves the harbour at 9.15.\n")
            done = await client.call_tool("ingest", {"paths": [str(files)]})
            return [before, done, await client.call_tool("search", {"query": "ferry harbour"})]

    before, done, after = map(content, anyio.run(main))
    assert not any(hit["source"] == "b.md" for hit in before["results"])
    assert done["added"] == 1
    assert after["results"][0]["source"].endswith("b.md")


def test_calls_at_once_over_http_all_answer(served: str):
    async def one(results: list[Any], number: int) -> None:
        async with Client(served) as client:
            query = {"question": "On what date did the railway open?"} if number % 2 else {}
            results.append(await client.call_tool("ask" if number % 2 else "sources", query))

    async def main() -> list[Any]:
        results: list[Any] = []
        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(one, results, number)
        return results

    assert all(content(result) for result in anyio.run(main))


def test_rebound_names_are_refused_and_loopback_s_own_are_not(served: str):
    import httpx

    port = served.split(":")[2].split("/", maxsplit=1)[0]
    usual = {"Accept": "application/json, text/event-stream"}
    with httpx.Client(trust_env=False) as client:

        def code(**headers: str) -> int:
            return client.post(served, json=OPENING, headers={**usual, **headers}).status_code

        assert code() == 200
        assert code(Host=f"localhost:{port}", Origin=f"http://localhost:{port}") == 200
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "0.0.0.0"):
            assert code(Host=host) in (400, 403, 421), host
        for origin in ("null", "https://evil.example", f"https://127.0.0.1:{port}", "http://[::1]"):
            assert code(Origin=origin) in (400, 403, 421), origin


def test_only_loopback_is_listened_on(served: str):
    port = int(served.split(":")[2].split("/", maxsplit=1)[0])
    listening = {
        line.split()[1]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        if Path(table).exists()
        for line in Path(table).read_text().splitlines()[1:]
        if line.split()[3] == "0A" and int(line.split()[1].split(":")[1], 16) == port
    }
    assert listening <= {f"0100007F:{port:04X}"}


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "dogs", "k": 2}),
    ("ask", {"question": "On what date did the railway open?"}),
    ("sources", {"limit": 1}),
    ("read_source", {"source": "dogs.md", "start": 5}),
    ("status", {}),
    ("thread_history", {"thread": "none"}),
    ("search", {"query": '\x00\ud7ff OR NEAR(*) "', "k": 1}),
    ("search", {"query": "dogs", "k": "many"}),
    ("ask", {"question": " "}),
    ("read_source", {"source": "../home/catalog.sqlite"}),
    ("thread_history", {"thread": "'; drop table turns; --", "limit": -5}),
    ("no_such_tool", {"x": 1}),
]


@pytest.mark.parametrize(
    "count", [60, pytest.param(1000, marks=pytest.mark.slow)], ids=["short", "long"]
)
def test_many_calls_of_every_kind_in_one_connection(home: Path, count: int):
    calls = [CALLS[n % len(CALLS)] for n in range(count)]

    async def main() -> list[tuple[str, str]]:
        seen = []
        async with Client(stdio(home)) as client:
            for name, given in calls:
                try:
                    result = await client.call_tool(name, given)
                    seen.append((name, "error" if result.is_error else "done"))
                except MCPError:
                    seen.append((name, "refused"))
        return seen

    seen = anyio.run(main)
    assert len(seen) == count
    first = seen[: len(CALLS)]
    assert [how for _, how in first[:7]] == ["done"] * 7
    assert [how for _, how in first[7:10]] == ["error"] * 3
    assert first[10][1] == "done"
    assert first[11][1] in ("error", "refused")
    for n, one in enumerate(seen):
        assert one == first[n % len(CALLS)]


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM])
def test_a_server_on_stdio_ends_when_it_is_told_to(home: Path, blow: signal.Signals):
    parameters = stdio(home)
    server = subprocess.Popen(
        [parameters.command, *parameters.args],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(OPENING) + "\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 1
    server.send_signal(blow)
    assert server.wait(60) == 130
    server.communicate()
