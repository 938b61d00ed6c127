"""`crag graph`: the graph as it is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cli import options
from cli.app import new_app

if TYPE_CHECKING:
    from langchain_core.runnables.graph import Edge

app = new_app()


@options.command(app)
def graph(
    given: options.Shared,
    ascii_: Annotated[bool, options.flag("--ascii", "Boxes and lines.")] = False,
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
    else:
        terminal.out(_diagram([*drawn.nodes], drawn.edges) if ascii_ else mermaid)


def _diagram(nodes: list[str], edges: list[Edge]) -> str:
    """Each node with where it leads, in the order of a run; ··> is a conditional edge."""
    drawn: list[str] = []
    for node in nodes:
        head = node.strip("_")
        for edge in [each for each in edges if each.source == node]:
            back = " (loop)" if nodes.index(edge.target) <= nodes.index(node) else ""
            arrow = "··>" if edge.conditional else "-->"
            drawn.append(f"{head:17} {arrow} {edge.target.strip('_')}{back}")
            head = ""
    return "\n".join(drawn)
