"""`crag graph`: the graph as it is compiled."""

from __future__ import annotations

from typing import Annotated

from cli import options
from cli.app import new_app

app = new_app()


@app.command()
@options.taking()
def graph(
    given: options.Shared,
    ascii_: Annotated[bool, options.flag("--ascii", "Boxes and lines.")] = False,
    json_: options.Json = False,
) -> None:
    """Print the corrective graph as Mermaid, from the compiled graph."""
    from rag.diagram import ascii_diagram, edges, mermaid

    terminal = given.terminal
    if json_:
        terminal.json({"schema": "crag.graph/1", "edges": edges(), "mermaid": mermaid()})
    else:
        terminal.out(ascii_diagram() if ascii_ else mermaid())
