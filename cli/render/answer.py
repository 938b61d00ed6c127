"""A finished answer as a person reads it: the text, then the places it cites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cli.render.places import place

if TYPE_CHECKING:
    from state.answer import Answer, Citation

QUOTE_WIDTH = 160


def answer_lines(answer: Answer) -> Iterator[str]:
    """The answer and its sources, as plain lines."""
    yield from answer["answer"].splitlines() or [""]
    if answer["citations"]:
        yield ""
        yield from map(source_line, answer["citations"])


def source_line(citation: Citation) -> str:
    where = place(
        citation["source"], citation["page"], citation["start_line"], citation["end_line"]
    )
    note = "" if citation["support"] != "unsupported" else " (unsupported)"
    return f"[{citation['marker']}] {where}{note}  {short_quote(citation['quote'])}"


def short_quote(quote: str, width: int = QUOTE_WIDTH) -> str:
    """The quote on one line, cut at a word with an ellipsis where it is long."""
    line = " ".join(quote.split())
    if len(line) > width:
        line = line[:width].rsplit(" ", 1)[0] + "…"
    return f"“{line}”"
