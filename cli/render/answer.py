"""A finished answer as a person reads it: the text, then the places it cites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cli.render.places import place
from cli.terminal import Terminal, clean

if TYPE_CHECKING:
    from rich.text import Text

    from state.answer import Answer, Citation

QUOTE_WIDTH = 160


def answer_lines(answer: Answer) -> Iterator[str]:
    """The answer and its sources, as plain lines."""
    yield from answer["answer"].splitlines() or [""]
    if answer["citations"]:
        yield ""
        yield from map(source_line, answer["citations"])


def print_answer(terminal: Terminal, answer: Answer, links: Mapping[int, str]) -> None:
    """The answer and its sources to stdout; wrapped at words, with links, on a terminal."""
    if not terminal.out_is_tty:
        for line in answer_lines(answer):
            terminal.out(line)
        return
    console = terminal.out_console()
    console.print(clean(answer["answer"]))
    if answer["citations"]:
        console.print()
    for citation in answer["citations"]:
        console.print(source_text(citation, links.get(citation["marker"])))


def source_text(citation: Citation, link: str | None) -> Text:
    """As `source_line`, its place a link."""
    from rich.text import Text

    text = Text(clean(source_line(citation)))
    if link is not None:
        start = len(f"[{citation['marker']}] ")
        text.stylize(f"link {link}", start, start + len(clean(_where(citation))))
    return text


def source_line(citation: Citation) -> str:
    note = "" if citation["support"] != "unsupported" else " (unsupported)"
    quote = short_quote(citation["quote"])
    return f"[{citation['marker']}] {_where(citation)}{note}  {quote}"


def _where(citation: Citation) -> str:
    return place(citation["source"], citation["page"], citation["start_line"], citation["end_line"])


def short_quote(quote: str, width: int = QUOTE_WIDTH) -> str:
    """The quote on one line, cut at a word with an ellipsis where it is long."""
    line = " ".join(quote.split())
    if len(line) > width:
        line = line[:width].rsplit(" ", 1)[0] + "…"
    return f"“{line}”"
