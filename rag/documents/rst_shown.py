"""What is shown of a node of reStructuredText."""

from __future__ import annotations

from docutils import nodes


def shown_text(node: nodes.Node) -> str:
    """What is shown of a node, with as many line breaks as its source has."""
    if isinstance(node, nodes.Text):
        return str(node.astext())
    if isinstance(node, nodes.target | nodes.image | nodes.system_message):
        return ""
    if isinstance(node, nodes.entry):
        return " ".join(shown_text(child) for child in node.children)
    text = ""
    for child in node.children:
        shown = shown_text(child)
        if isinstance(child, nodes.footnote_reference) and not shown:
            text = text.rstrip(" ")
        text += shown
    if isinstance(node, nodes.footnote_reference | nodes.citation_reference) and text:
        text = f"[{text}]"
    if isinstance(node, nodes.Inline):
        text += "\n" * (node.rawsource.count("\n") - text.count("\n"))
    return text
