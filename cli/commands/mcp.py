"""`crag mcp`: the collection as tools for agents."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import options
from cli.app import new_app
from cli.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from state.settings import Settings

app = new_app()


@app.command()
def mcp(
    http: Annotated[
        int | None,
        typer.Option(
            "--http", metavar="PORT", min=1, max=65535, help="Streamable HTTP on loopback."
        ),
    ] = None,
    allow_ingest: Annotated[
        bool,
        typer.Option(
            "--allow-ingest",
            help="Let agents bring ingested folders up to date.",
        ),
    ] = False,
    collection: options.Collections = None,
    engine: options.Engine = None,
    k: options.K = None,
    max_loops: options.MaxLoops = None,
    store: options.Store = None,
    threads: options.Threads = None,
    home: options.Home = None,
    config: options.Config = None,
) -> None:
    """Serve the collection over MCP, on standard input and output or on loopback."""
    settings = options.read_settings(
        config,
        collection=collection,
        engine=engine,
        k=k,
        max_loops=max_loops,
        store=store,
        threads=threads,
        home=home,
    )
    from rag.serving.mcp_server import build_server, check_port, serve_http
    from rag.serving.mended_input import mend_input

    server = build_server(settings, _ingest(settings) if allow_ingest else None)
    if http is None:
        # asyncio's own handler would wait for the next line of standard input.
        signal.signal(signal.SIGINT, _interrupt)
        mend_input()
        server.run("stdio")
    else:
        check_port(http)
        Terminal().notice(f"MCP at http://127.0.0.1:{http}/mcp; Ctrl-C ends it.")
        serve_http(server, http)


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _ingest(settings: Settings) -> Callable[[list[str]], dict[str, Any]]:
    from rag.serving.refresh import refresh

    def ingest(paths: list[str]) -> dict[str, Any]:
        """Bring folders that were ingested before up to date; no others can be named."""
        return refresh(settings, paths)

    return ingest
