import json
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from crag import ROOT, ended, in_terminal, run_forked
from forked_program import crag_program
from ingest_runs import Library, home_of
from ports import free_port, listening

CLIENT = {"name": "test", "version": "1"}
OPENING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    line = "# The line\n\nThe railway opened on 14 June 1897.\n"
    dogs = "# Dogs\n\nDogs travel free in the guard's van.\n"
    return home_of(tmp_path_factory.mktemp("mcp"), {"line.md": line, "dogs.md": dogs})


def client(transport: Any) -> Any:
    """The official one, which only these tests import."""
    from mcp import Client

    return Client(transport)


def stdio(home: Path, *flags: str, program: tuple[str, ...] | None = None) -> Any:
    from mcp import StdioServerParameters

    command, *words = program or (crag_program(),)
    return StdioServerParameters(
        command=command,
        args=[*words, "mcp", "--engine", "local", "--home", str(home), *flags],
        cwd=str(ROOT),
    )


def run(transport: Any, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The results of tool calls in one connection of the official client."""

    async def main() -> list[Any]:
        async with client(transport) as opened:
            return [await opened.call_tool(name, given) for name, given in calls]

    return anyio.run(main)


def content(result: Any) -> Any:
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


def test_every_tool_answers_over_stdio(home: Path):
    async def check() -> list[Any]:
        async with client(stdio(home, program=(sys.executable, "-m", "cli"))) as opened:
            tools = {tool.name: tool for tool in (await opened.list_tools()).tools}
            assert set(tools) == {"ask", "search", "sources", "read_source"}
            assert all(tool.annotations.read_only_hint for tool in tools.values())
            found = []
            for name, given in (
                ("ask", {"question": "On what date did the railway open?"}),
                ("search", {"query": '\x00\ud7ff OR NEAR(*) "', "k": 1}),
                ("search", {"query": "dogs", "k": 2}),
                ("sources", {}),
                ("read_source", {"source": "dogs.md"}),
            ):
                result = await opened.call_tool(name, given)
                jsonschema.validate(result.structured_content, tools[name].output_schema)
                assert content(result) == result.structured_content
                found.append(result.structured_content)
            return found

    answer, _, passages, listed, read = anyio.run(check)
    assert answer["status"] == "answered"
    assert "14 June 1897" in answer["answer"]
    assert answer["citations"][0]["source"] == "line.md"
    assert passages["results"][0]["source"] == "dogs.md"
    assert listed == {"sources": ["dogs.md", "line.md"], "next": None}
    assert "guard's van" in read["text"]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("ask", {"question": ""}),
        ("ask", {"question": "x" * 50_000}),
        ("ask", {"question": 7}),
        ("search", {"query": "dogs", "k": 10_000}),
        ("search", {}),
        ("sources", {"limit": -1}),
        ("read_source", {"source": "/etc/passwd"}),
        ("read_source", {"source": "../../etc/passwd"}),
        ("read_source", {"source": "dogs.md", "start": -1}),
    ],
)
def test_a_malformed_call_is_a_tools_error_and_the_server_goes_on(served: str, tool, given):
    bad, good = run(served, (tool, given), ("sources", {}))
    assert bad.is_error
    assert "root:" not in bad.content[0].text
    assert content(good)["sources"] == ["dogs.md", "line.md"]


def test_a_person_at_a_terminal_is_told_what_it_waits_for(home: Path):
    child = in_terminal(home, "mcp")
    child.expect(r"This serves an agent over standard input; Ctrl-C ends it\.")
    child.send("\x03")
    assert ended(child) == 130, child.before


def test_a_taken_port_is_said_instead_of_listening(home: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run_forked(home, "mcp", "--http", str(port))
    said = f"crag: 127.0.0.1:{port} cannot be listened on: Address already in use."
    assert (ran.returncode, ran.stdout) == (4, "")
    assert ran.stderr == f"{said} Choose another port.\n"


def test_a_collection_that_is_not_there_ends_it_as_it_ends_a_question(home: Path):
    served, asked = (run_forked(home, *words, "-c", "no") for words in (("mcp",), ("ask", "Who?")))
    assert (served.returncode, served.stdout, served.stderr) == (2, "", asked.stderr)


def test_a_long_source_and_a_long_list_are_read_to_their_ends(tmp_path: Path):
    text = "\n\n".join(f"Siding {n} holds {n} wagons of slate." for n in range(2000))
    home = home_of(tmp_path, {f"{name}.txt": text for name in "abc"})

    async def read() -> None:
        async with client(stdio(home)) as opened:

            async def pages(name: str, key: str, **given: Any) -> list[Any]:
                found, at = [], given[key]
                while at is not None:
                    page = await opened.call_tool(name, {**given, key: at})
                    found.append(page.structured_content)
                    at = found[-1]["next"]
                return found

            read = await pages("read_source", "start", source="b.txt", start=0)
            assert len(read) > 3
            assert "".join(page["text"] for page in read) == text
            listed = await pages("sources", "after", limit=2, after="")
            assert [page["sources"] for page in listed] == [["a.txt", "b.txt"], ["c.txt"]]

    anyio.run(read)


@pytest.fixture(scope="module")
def served(home: Path) -> Iterator[str]:
    """The address of the tools of a real `crag mcp` on loopback."""
    port = free_port()
    command = (crag_program(), "mcp", "--engine", "local", "--home", home, "--http", port)
    with listening(port, *command):
        yield f"http://127.0.0.1:{port}/mcp"


def test_nothing_of_another_collection_is_told(home: Path, tmp_path: Path):
    home = shutil.copytree(home, tmp_path / "home")
    (tmp_path / "secret.md").write_text("# Plans\n\nThe vault code of the bank is 7781.\n")
    Library(home, collection="private").ingest(tmp_path)
    results = run(
        stdio(home),
        ("ask", {"question": "What is the vault code of the bank?"}),
        ("search", {"query": "vault code", "k": 50}),
        ("sources", {"after": "s"}),
        ("read_source", {"source": "secret.md"}),
        ("read_source", {"source": str(tmp_path / "secret.md")}),
    )
    assert "7781" not in str([result.content for result in results])
    assert [result.is_error for result in results] == [False, False, False, True, True]


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


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="no /proc here")
def test_only_loopback_is_listened_on(served: str):
    port = int(served.split(":")[2].split("/", maxsplit=1)[0])
    listening = {
        line.split()[1]
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        if Path(table).exists()
        for line in Path(table).read_text().splitlines()[1:]
        if line.split()[3] == "0A" and int(line.split()[1].split(":")[1], 16) == port
    }
    assert listening == {f"0100007F:{port:04X}"}


def test_a_server_on_stdio_ends_when_it_is_interrupted(home: Path):
    parameters = stdio(home)
    piped = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    server = subprocess.Popen([parameters.command, *parameters.args], **piped, text=True)
    server.stdin.write(json.dumps(OPENING) + "\n")
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 1
    server.send_signal(signal.SIGINT)
    assert server.wait(60) == 130
    server.communicate()
