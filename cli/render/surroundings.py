"""A cited quote in its place, the lines around it beside their numbers."""

from __future__ import annotations

from cli.render.answer_text import print_sources
from cli.terminal import Terminal
from state.answer import Citation

AROUND = 3
"""Lines shown before and behind."""
LINE_WIDTH = 400


def print_surroundings(terminal: Terminal, citation: Citation, text: str) -> None:
    """The place, and lines of the document's `text`, those of the quote marked. One read anew may
    have moved it: it is looked for, and its absence is said.
    """
    print_sources(terminal, [citation])
    terminal.out("")
    quote, start = citation["quote"], citation["start_char"]
    if text[start : start + len(quote)] != quote:
        start = text.find(quote)
    if start < 0:
        terminal.out("The document has changed since; the quote is no longer in it.")
        return
    first = text.count("\n", 0, start)
    last = first + quote.count("\n")
    lines = text.split("\n")
    for number in range(max(0, first - AROUND), min(len(lines), last + AROUND + 1)):
        mark = ">" if first <= number <= last else " "
        left = max(0, lines[number].find(quote.split("\n")[0]) - LINE_WIDTH // 4)
        gutter = f"{mark}{number + 1:>6}  "
        terminal.wrapped(gutter + lines[number][left : left + LINE_WIDTH], len(gutter))
