"""`crag mcp install` and `crag skill`: what is written into other programs' files."""

from __future__ import annotations

import json
import sys
import tomllib
from functools import cache
from pathlib import Path

import anyio
import pexpect
import pytest
from chat_samples import crag, environment, make_home
from forked_program import crag_program
from mcp import Client as McpClient
from mcp import StdioServerParameters

from cli.agents.clients import Client, ServerFile, server_file
from cli.agents.server_entry import with_entry
from state.errors import UsageError

CRAG_ROOT = str(Path(__file__).parents[2])
CLIENTS = [client.value for client in Client]
COMMAND = ["/opt/crag", "mcp", "--home", "/a b/ü"]
JSON = """{
    "theme": "dark",
    "mcpServers": {
        "other": {"command": "x"}
    },
    "n": [1, 2.50, "ü"]
}"""
TOML = """# my settings
model = "gpt"  # the usual

[mcp_servers.other]
command = "x"

[mcp_servers.crag.env]
OLD = "1"

# the end
[tui]
theme = "dark"
"""


@pytest.fixture
def person(tmp_path, monkeypatch):
    """A home folder of their own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def listed(client):
    file = server_file(Client(client))
    text = file.path.read_text(encoding="utf-8")
    return (tomllib.loads(text) if file.is_toml else json.loads(text))[file.key]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make_home(tmp_path_factory.mktemp("agents"))


@cache
def answer_of(command, *arguments):
    """What the server that is started so says of the viaduct: one start for all who name it."""
    server = StdioServerParameters(
        command=command, args=list(arguments), env={"CRAG_ENGINE": "local"}, cwd=CRAG_ROOT
    )

    async def ask():
        async with McpClient(server) as session:
            given = {"question": "How high is the Gillfoot Viaduct?"}
            return (await session.call_tool("ask", given)).structured_content

    return anyio.run(ask)["answer"]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.usefixtures("person")
def test_what_is_installed_starts_a_server_that_answers(client, home):
    done = crag(home, "mcp", "install", client, "--yes")
    assert done.exit_code == 0, done.stderr
    assert "+++ " in done.stderr
    entry = listed(client)["crag"]
    assert Path(entry["command"]).is_absolute()
    assert "31 metres" in answer_of(entry["command"], *entry["args"])
    assert "is so already" in crag(home, "mcp", "install", client, "--yes").stderr
    assert crag(home, "mcp", "install", client, "--undo", "--yes").exit_code == 0
    assert not server_file(Client(client)).path.exists()  # nobody else had written there
    assert "has no such server" in crag(home, "mcp", "install", client, "--undo").stderr


def test_it_asks_first_and_nothing_is_written_at_a_no(person, home):
    file = person / ".cursor" / "mcp.json"
    refused = crag(home, "mcp", "install", "cursor")
    assert (refused.exit_code, file.exists()) == (2, False)
    assert "Add --yes" in refused.stderr
    for reply, code in (("n", 1), ("y", 0)):
        child = pexpect.spawn(
            crag_program(),
            ["mcp", "install", "cursor"],
            env=environment(home, HOME=str(person)),
            encoding="utf-8",
            timeout=60,
        )
        child.expect("Change .*mcp.json.*N]:")
        child.sendline(reply)
        child.expect(pexpect.EOF)
        child.close()
        assert (child.exitstatus, file.exists()) == (code, code == 0)


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("claude-code", "{oops"),
        ("vscode", '{\n  // mine\n  "servers": {}\n}'),
        ("cursor", "[]"),
        ("cursor", '{"mcpServers": []}'),
        ("codex", "model = "),
        ("codex", 'mcp_servers.crag = {command = "x"}\n'),
        ("claude-desktop", "\udcff"),
    ],
)
@pytest.mark.usefixtures("person")
def test_a_file_that_is_not_understood_is_left_alone(client, text, home):
    file = server_file(Client(client)).path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    before = file.read_bytes()
    done = crag(home, "mcp", "install", client, "--yes")
    assert (done.exit_code, file.read_bytes()) == (2, before)
    assert done.stderr.startswith(f"crag: {file} is left alone: ")
    assert done.stderr.count("\n") == 1


def test_all_else_in_a_file_stays_as_it_is():
    file = ServerFile(Path("mcp.json"), "mcpServers")
    changed = with_entry(JSON, file, "crag", COMMAND)
    before, after = json.loads(JSON), json.loads(changed)
    assert after["mcpServers"].pop("crag") == {"command": COMMAND[0], "args": COMMAND[1:]}
    assert after == before
    assert changed.startswith('{\n    "theme": "dark",\n')
    assert "ü" in changed
    assert not changed.endswith("\n")
    taken_out = with_entry(changed, file, "crag", None)
    assert json.loads(taken_out) == before


def test_comments_and_order_of_toml_stay_and_an_older_server_is_replaced():
    file = ServerFile(Path("config.toml"), "mcp_servers")
    changed = with_entry(TOML, file, "crag", COMMAND)
    servers = tomllib.loads(changed)["mcp_servers"]
    assert servers == {
        "other": {"command": "x"},
        "crag": {"command": COMMAND[0], "args": COMMAND[1:]},
    }
    for line in ("# my settings", 'model = "gpt"  # the usual', 'theme = "dark"'):
        assert line in changed
    again = with_entry(changed, file, "crag", ["other"])
    assert tomllib.loads(again)["mcp_servers"]["crag"]["command"] == "other"
    assert "crag" not in with_entry(again, file, "crag", None)


@pytest.mark.usefixtures("person")
def test_a_name_that_a_client_would_not_take_is_refused(home):
    done = crag(home, "mcp", "install", "codex", "--name", "my docs", "--yes")
    assert done.exit_code == 2
    with pytest.raises(UsageError, match="left alone"):
        with_entry("[1]", ServerFile(Path("x.json"), "servers"), "crag", COMMAND)


@pytest.mark.parametrize(
    ("reader", "folder"), [("claude-code", ".claude"), ("cursor", ".cursor"), ("agents", ".agents")]
)
def test_the_skill_is_written_and_taken_away(reader, folder, person, home):
    file = person / folder / "skills" / "crag" / "SKILL.md"
    assert crag(home, "skill", "install", reader, "--yes").exit_code == 0
    assert file.read_text(encoding="utf-8") == crag(home, "skill", "show").stdout
    assert "is so already" in crag(home, "skill", "install", reader).stderr
    assert crag(home, "skill", "install", reader, "--undo", "--yes").exit_code == 0
    assert not file.exists()


def test_the_skill_names_commands_and_options_that_there_are(home):
    text = crag(home, "skill", "show").stdout
    assert text.startswith("---\nname: crag\ndescription: ")
    lines = [line.split("#")[0] for line in text.splitlines() if line.startswith("crag ")]
    assert len(lines) > 5
    for line in lines:
        name = line.split()[1]
        shown = crag(home, *line.split()[1:3], "--help").stdout + crag(home, name, "--help").stdout
        for option in (word for word in line.split() if word.startswith("-")):
            assert option in shown, line


def test_a_file_that_was_changed_while_it_was_asked_is_left_alone(person, home, monkeypatch):
    file = person / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text("{}")
    monkeypatch.setattr("cli.agents.change.confirm", lambda *_, **__: file.write_text('{"a": 1}'))
    done = crag(home, "mcp", "install", "cursor")
    assert done.exit_code == 2
    assert "was changed meanwhile" in done.stderr
    assert file.read_text() == '{"a": 1}'


def test_a_linked_file_stays_a_link(person, home):
    real = person / "dotfiles.json"
    real.write_text("{}")
    (person / ".cursor").mkdir()
    (person / ".cursor" / "mcp.json").symlink_to(real)
    assert crag(home, "mcp", "install", "cursor", "--yes").exit_code == 0
    assert (person / ".cursor" / "mcp.json").is_symlink()
    assert "crag" in real.read_text()


def test_what_only_this_shell_says_is_not_passed_on_and_that_is_told(person, home, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    done = crag(home, "mcp", "install", "cursor", "--yes", "-c", "default,other")
    assert "Not passed on: CRAG_ENGINE, OPENAI_API_KEY." in done.stderr
    written = (person / ".cursor" / "mcp.json").read_text()
    assert "sk-secret" not in written
    assert "default,other" in written


def test_a_mac_keeps_them_elsewhere(person, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    support = person / "Library" / "Application Support"
    assert server_file(Client.VSCODE).path == support / "Code" / "User" / "mcp.json"
