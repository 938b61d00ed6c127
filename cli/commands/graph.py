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
        terminal.out(_diagram(drawn.edges) if ascii_ else mermaid)


def _diagram(edges: list[Edge]) -> str:
    """Each node with where it leads, in the order of a run; ··> is a conditional edge."""
    drawn: list[str] = []
    pending = [edges[0].source]
    seen = {*pending}
    while pending:
        node = pending.pop(0)
        leaving = [edge for edge in edges if edge.source == node]
        for index, edge in enumerate(leaving):
            head = "" if index else node.strip("_")
            back = " (loop)" if edge.target in seen else ""
            arrow = "··>" if edge.conditional else "-->"
            drawn.append(f"{head:17} {arrow} {edge.target.strip('_')}{back}")
        for edge in leaving:
            if edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)
    return "\n".join(drawn)
