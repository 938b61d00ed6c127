"""`crag graph`: the graph as it is compiled."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import options
from cli.app import new_app
from cli.terminal import Terminal

app = new_app()


@app.command()
def graph(
    ascii_: Annotated[bool, typer.Option("--ascii", help="Boxes and lines.")] = False,
    json_: options.Json = False,
) -> None:
    """Print the corrective graph as Mermaid, from the compiled graph."""
    from rag.diagram import ascii_diagram, edges, mermaid

    terminal = Terminal()
    if json_:
        terminal.json({"schema": "crag.graph/1", "edges": edges(), "mermaid": mermaid()})
    else:
        terminal.out(ascii_diagram() if ascii_ else mermaid())
