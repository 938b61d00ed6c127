"""`crag mcp`: the collection as tools for agents."""

from __future__ import annotations

import signal
import sys
from functools import partial
from importlib.resources import files
from typing import Annotated

import typer

from cli import options
from cli.app import DefaultGroup, new_app

app = new_app(
    "Serve the collection to agents over MCP; print their skill file.\n\n`crag mcp` alone serves.",
    cls=DefaultGroup,
)


@options.command(app, "collection", "engine", "k", "max_loops", "store", "threads")
def serve(
    given: options.Shared,
    http: Annotated[
        int | None,
        typer.Option(metavar="PORT", min=1, max=65535, help="Streamable HTTP on loopback."),
    ] = None,
) -> None:
    """Serve over MCP, on standard input and output or on loopback."""
    from rag.mcp_server import build_server, check_port
    from rag.session import open_session

    with open_session(given.settings(), given.terminal.notice) as session:
        server = build_server(session)
        if http is None:
            if sys.stdin.isatty():
                given.terminal.notice("This serves an agent over standard input; Ctrl-C ends it.")
            # asyncio puts its own handler, which waits for the next line of standard input, in
            # place of Python's, and of no other.
            signal.signal(signal.SIGINT, partial(signal.default_int_handler))
            server.run("stdio")
        else:
            check_port(http)
            given.terminal.notice(f"MCP at http://127.0.0.1:{http}/mcp; Ctrl-C ends it.")
            # On loopback the SDK refuses other hosts and origins.
            server.run("streamable-http", host="127.0.0.1", port=http)


@options.command(app)
def skill(given: options.Shared) -> None:
    """Print the skill file, which tells an agent how to call crag."""
    text = files("cli") / "skill.md"
    given.terminal.out(text.read_text(encoding="utf-8").removesuffix("\n"))
