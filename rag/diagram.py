"""Pictures of the graph, drawn from the compiled graph itself."""

from __future__ import annotations

from rag.graph import compile_graph

WHEN = {
    ("contextualize", "retrieve"): "it is a question",
    ("contextualize", "record_turn"): "it is small talk, or asks what was asked before",
    ("grade_documents", "refine"): "the relevant chunks suffice, or the loops are spent",
    ("grade_documents", "transform_query"): "they do not suffice and a loop is left",
    ("grade_documents", "search_web"): "nothing is relevant, `--web`, not searched yet",
    ("grade_documents", "abstain"): "nothing is relevant and no loop is left",
    ("transform_query", "retrieve"): "there is a query that was not tried",
    ("transform_query", "refine"): "there is none, and something relevant was found",
    ("transform_query", "search_web"): "there is none, nothing is relevant, `--web`",
    ("transform_query", "abstain"): "there is none, and nothing relevant was found",
    ("check_answer", "generate"): "no claim is proved and one is contradicted, once (model only)",
    ("check_answer", "abstain"): "no claim is left",
    ("check_answer", "record_turn"): "what is left is not contradicted",
}


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


def transition_table() -> str:
    """Every transition with what decides it, as a Markdown table."""
    rows = ["| from | to | when |", "|---|---|---|"]
    for edge in edges():
        source, target = _label(edge["from"]), _label(edge["to"])
        when = WHEN.get((source, target), "?") if edge["conditional"] else "always"
        rows.append(f"| {source} | {target} | {when} |")
    return "\n".join(rows)


def ascii_diagram() -> str:
    """Each node with where it leads, in the order of a run; ··> is a conditional edge."""
    drawn: list[str] = []
    table = edges()
    pending, seen = ["__start__"], {"__start__"}
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
