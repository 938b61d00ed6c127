"""Pictures of the graph, drawn from the compiled graph itself."""

from __future__ import annotations

from rag.graph import compile_graph
from rag.topology import START


def edges() -> list[dict[str, object]]:
    """Every transition as {"from", "to", "conditional"}."""
    return [
        {"from": edge.source, "to": edge.target, "conditional": edge.conditional}
        for edge in compile_graph().get_graph().edges
    ]


def mermaid() -> str:
    """Mermaid flowchart text."""
    lines = ["flowchart TD"]
    for edge in edges():
        arrow = "-.->" if edge["conditional"] else "-->"
        lines.append(f"    {_name(edge['from'])} {arrow} {_name(edge['to'])}")
    return "\n".join(lines)


def ascii_diagram() -> str:
    """Each node with where it leads, in the order of a run; ··> is a conditional edge."""
    drawn: list[str] = []
    table = edges()
    pending, seen = [START], {START}
    while pending:
        node = pending.pop(0)
        leaving = [edge for edge in table if edge["from"] == node]
        for index, edge in enumerate(leaving):
            head = _label(node).ljust(17) if index == 0 else " " * 17
            back = " (loop)" if edge["to"] in seen else ""
            arrow = "··>" if edge["conditional"] else "-->"
            drawn.append(f"{head} {arrow} {_label(edge['to'])}{back}".rstrip())
        for edge in leaving:
            if edge["to"] not in seen:
                seen.add(str(edge["to"]))
                pending.append(str(edge["to"]))
    return "\n".join(drawn)


def _name(node: object) -> str:
    return {"__start__": "start_([start])", "__end__": "end_([end])"}.get(str(node), str(node))


def _label(node: object) -> str:
    return {"__start__": "start", "__end__": "end"}.get(str(node), str(node))
