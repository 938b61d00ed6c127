"""`crag mcp`: the collection as tools for agents."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

from cli import options
from cli.agents.clients import Client
from cli.app import DefaultGroup, new_app
from state.errors import UsageError

app = new_app(
    "Serve the collection to agents over MCP; install it there.\n\n`crag mcp` alone serves.",
    cls=DefaultGroup,
)


@app.command()
@options.taking("collections", "engine", "k", "max_loops", "store", "threads")
def serve(
    given: options.Given,
    http: Annotated[
        int | None,
        typer.Option(metavar="PORT", min=1, max=65535, help="Streamable HTTP on loopback."),
    ] = None,
    allow_ingest: options.AllowIngest = False,
) -> None:
    """Serve over MCP, on standard input and output or on loopback."""
    settings = given.settings()
    from rag.mcp_server.serve import build_server, check_port, serve_http
    from rag.mcp_server.surrogate_filter import filter_input

    server = build_server(settings, allow_ingest=allow_ingest)
    if http is None:
        if sys.stdin.isatty():
            given.terminal.notice(
                "This serves an agent over standard input; Ctrl-C ends it."
                " `crag mcp install CLIENT` has an agent start it by itself."
            )
        # asyncio puts its own handler, which waits for the next line of standard input, in place of
        # Python's, and of no other.
        signal.signal(signal.SIGINT, _interrupt)
        filter_input()
        server.run("stdio")
    else:
        check_port(http)
        given.terminal.notice(f"MCP at http://127.0.0.1:{http}/mcp; Ctrl-C ends it.")
        serve_http(server, http)


@app.command()
@options.taking("collections", "quiet")
def install(
    given: options.Given,
    client: Annotated[Client, typer.Argument(help="The program that is to know crag's tools.")],
    name: Annotated[
        str, typer.Option(metavar="NAME", help="What the server is called there.")
    ] = "crag",
    allow_ingest: options.AllowIngest = False,
    undo: Annotated[bool, options.switch("--undo", "Take the server out again.")] = False,
    yes: options.Yes = False,
) -> None:
    """Write the server into an agent's own settings. Shows what changes, and asks."""
    from cli.agents.change import change_file, read_before
    from cli.agents.clients import server_file
    from cli.agents.server_entry import with_entry
    from state.extras import require_extra

    terminal = given.terminal
    if not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise UsageError("--name: letters, digits, - and _ are what every client takes.")
    settings = given.settings()
    file = server_file(client)
    before = read_before(file.path)
    command = None
    if not undo:
        require_extra("mcp", "mcp", "crag mcp")
        command = [*_program(), "mcp", "--home", str(settings.home.absolute())]
        command += ["--collection", settings.collection]
        command += ["--config", str(given.config.absolute())] if given.config else []
        command += ["--allow-ingest"] if allow_ingest else []
    after = with_entry(before, file, name, command)
    if not change_file(file.path, before, after, terminal, yes=yes):
        terminal.notice(f"{file.path} {'has no such server' if undo else 'is so already'}.")
    elif not undo:
        if left := sorted(name for name in os.environ if _is_setting(name)):
            terminal.notice(
                f"Not passed on: {', '.join(left)}. Put what is needed into config.toml."
            )
        terminal.notice(f"Start {client.value} anew; ask it something that your documents hold.")


def _is_setting(variable: str) -> bool:
    """Whether the environment says something here that the server will not be told."""
    passed = {"CRAG_HOME", "CRAG_COLLECTION", "CRAG_DEBUG", "CRAG_QUIET", "CRAG_YES"}
    return variable.startswith(("CRAG_", "OPENAI_")) and variable not in passed


def _program() -> list[str]:
    """How crag is started, by its whole path: the PATH of a desktop's programs is another."""
    program = os.path.abspath(sys.argv[0])  # noqa: PTH100 - a link stays one
    if os.path.basename(program) == "crag" and os.access(program, os.X_OK):  # noqa: PTH119 - text
        return [program]
    return [sys.executable, "-m", "cli"]


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt
