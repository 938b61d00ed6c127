"""Pictures of the graph, drawn from the compiled graph itself."""

from __future__ import annotations

from langgraph.graph import START

from rag.graph import compile_graph


def edges() -> list[dict[str, object]]:
    """Every transition as {"from", "to", "conditional"}."""
    table = compile_graph().get_graph().edges
    return [{"from": e.source, "to": e.target, "conditional": e.conditional} for e in table]


def mermaid() -> str:
    """A Mermaid flowchart; -.-> is a conditional edge."""
    return compile_graph().get_graph().draw_mermaid(with_styles=False).strip()


def ascii_diagram() -> str:
    """Each node with where it leads, in the order of a run; ··> is a conditional edge."""
    drawn: list[str] = []
    table = compile_graph().get_graph().edges
    pending, seen = [START], {START}
    while pending:
        node = pending.pop(0)
        leaving = [edge for edge in table if edge.source == node]
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
