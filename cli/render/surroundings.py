"""A cited quote in its place, with the lines around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.render.answer_text import print_sources
from cli.terminal import Terminal
from state.answer import Citation
from state.errors import UsageError
from state.passages import is_web

if TYPE_CHECKING:
    from rag.index.reader import CollectionReader

AROUND = 3
"""Lines shown before and after the quote."""
LINE_WIDTH = 400


def print_surroundings(terminal: Terminal, citation: Citation, reader: CollectionReader) -> None:
    """Print the document's file, the place, and lines of its text, with those of the quote marked,
    numbered where they are lines of the file itself.
    If the document was read anew, the quote is looked for; if it is gone, that is said.

    Raises:
        UsageError: the collection does not hold the document any more.
    """
    source = citation["source"]
    document, text = reader.document(source), reader.document_text(source)
    if document is None or text is None:
        if is_web(citation):
            raise UsageError(f"{source} is a page of the web.", "Open it in a browser.")
        gone = f"{source} is no longer in {reader.name}."
        raise UsageError(gone, "`crag trace` shows what was quoted.")
    terminal.notice(document.path or source)
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
        gutter = f"{mark}{number + 1:>6}  " if citation["start_line"] else f"{mark} "
        terminal.wrapped(gutter + lines[number][left : left + LINE_WIDTH], len(gutter))
