"""`crag graph`: the graph as it is compiled."""

from __future__ import annotations

from typing import Annotated

from cli import options
from cli.app import new_app

app = new_app()


@options.command(app)
def graph(
    given: options.Shared,
    ascii_: Annotated[bool, options.flag("--ascii", "As lines of text.")] = False,
    json_: options.Json = False,
) -> None:
    """Print the corrective graph as Mermaid, from the compiled graph."""
    from rag.graph import compile_graph

    terminal, drawn = given.terminal, compile_graph().get_graph()
    mermaid = drawn.draw_mermaid(with_styles=False).strip()
    if json_:
        edges = [
            {"from": each.source, "to": each.target, "conditional": each.conditional}
            for each in drawn.edges
        ]
        terminal.json({"schema": "crag.graph/1", "edges": edges, "mermaid": mermaid})
    elif ascii_:
        nodes = [*drawn.nodes]  # in the order of a run
        for node in nodes:
            head = node.strip("_")
            for edge in [each for each in drawn.edges if each.source == node]:
                back = " (loop)" if nodes.index(edge.target) <= nodes.index(node) else ""
                arrow = "··>" if edge.conditional else "-->"
                terminal.out(f"{head:17} {arrow} {edge.target.strip('_')}{back}")
                head = ""
    else:
        terminal.out(mermaid)
