"""A cited quote in the lines around it."""

from __future__ import annotations

from collections.abc import Iterator

from state.answer import Citation

LINE_WIDTH = 400


def passage_lines(text: str, citation: Citation, context: int) -> Iterator[tuple[str, str]]:
    """Marks and numbers, and beside them lines of `text`, those of the quote marked. A document
    read anew may have moved the quote: it is looked for, and its absence is said.
    """
    quote = citation["quote"]
    start = citation["start_char"]
    if text[start : start + len(quote)] != quote:
        start = text.find(quote)
    if start < 0:
        yield "", "The document has changed since; the quote is no longer in it."
        return
    first = text.count("\n", 0, start)
    last = first + quote.count("\n")
    lines = text.split("\n")
    for number in range(max(0, first - context), min(len(lines), last + context + 1)):
        mark = ">" if first <= number <= last else " "
        line = lines[number]
        shown = line if len(line) <= LINE_WIDTH else _around(line, quote.split("\n")[0])
        yield f"{mark}{number + 1:>6}  ", shown


def _around(line: str, quote: str) -> str:
    """A long line cut to where the quote is."""
    middle = max(0, line.find(quote))
    left = max(0, middle - LINE_WIDTH // 4)
    right = max(left + LINE_WIDTH, middle + len(quote))
    return f"{'…' if left else ''}{line[left:right]}{'…' if right < len(line) else ''}"
