"""What is shown of a node of reStructuredText, and where the rows of a table stand."""

from __future__ import annotations

import re

from docutils import nodes

BORDER = re.compile(r"\s*(?:\+[-=+]+\+|={2,}(?: +={2,})*)\s*$")


def shown_text(node: nodes.Node) -> str:
    """What is shown of a node, with as many line breaks as its source has."""
    if isinstance(node, nodes.Text):
        return str(node.astext())
    if isinstance(node, nodes.target | nodes.image | nodes.system_message):
        return ""
    if isinstance(node, nodes.entry):
        return " ".join(shown_text(child) for child in node.children)
    text = "".join(shown_text(child) for child in node.children)
    if isinstance(node, nodes.footnote_reference | nodes.citation_reference):
        text = f"[{text}]"
    if isinstance(node, nodes.Inline):
        text += "\n" * (node.rawsource.count("\n") - text.count("\n"))
    return text


def row_lines(lines: list[str], first: int) -> tuple[list[int], int]:
    """The line that each row of the table begins on, and where the table ends."""
    grid = lines[first].lstrip().startswith("+")
    column = len(lines[first]) - len(lines[first].lstrip())
    rows: list[int] = []
    fresh = True
    index, borders = first, 0
    while index < len(lines):
        line = lines[index]
        if BORDER.match(line):
            borders += 1
            fresh = True
            done = index + 1 == len(lines) or not lines[index + 1].strip()
            if not grid and borders > 1 and done:
                return rows, index + 1
        elif grid and not line.strip().startswith(("|", "+")):
            return rows, index
        elif line.strip() and (fresh if grid else line[column : column + 1] != " "):
            rows.append(index)
            fresh = False
        index += 1
    return rows, index
