"""A finished answer as a person reads it: the text, then the places it cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cli.render.text import place, print_wrapped, shorten
from cli.terminal import Terminal, clean, rows
from rag.citations.marking import left_out
from rag.text.prose import as_prose
from state.answer import QUOTED, Answer, Citation
from state.errors import UsageError
from state.wording import many

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

QUOTE_WIDTH = 160
_TARGET = re.compile(r"(?<=\])\([^()\s]*[/#][^()\s]*\)")
"""Of a link in Markdown."""


def answer_lines(answer: Answer) -> Iterator[str]:
    """The answer, or what lies nearest, and the sources, as plain lines."""
    yield from answer["answer"].splitlines() or [""]
    if cited(answer):
        yield ""
        yield from map(source_line, cited(answer))


def print_answer(
    terminal: Terminal,
    answer: Answer,
    shown: RenderableType | None = None,
    style: str = "",
    *,
    quotes: bool = False,
) -> None:
    """The answer and its sources to stdout, then with `quotes` what is cited, whole. On a terminal
    `shown` stands for the answer's text, which is wrapped at words, and sources are in `style`.
    """
    if not terminal.out_is_tty:
        terminal.wrapped(answer["answer"])
    elif shown is None:
        print_wrapped(terminal.out_console(), answer_text(answer))
    else:
        terminal.out_console().print(shown)
    if cited(answer) and (shown is None or not terminal.out_is_tty):
        terminal.out("")
    print_sources(terminal, cited(answer), style=style)
    for citation in cited(answer) if quotes else ():
        terminal.out("")
        lead = f"[{citation['marker']}] "
        terminal.wrapped(f"{lead}“{citation['quote'].strip()}”", len(lead))


def answer_text(answer: Answer) -> Text:
    """The answer, or what lies nearest, with the sentences that answer in bold; passages quoted
    behind what a model wrote are dim, and so is where links lead.
    """
    from rich.text import Text

    text = Text(clean(answer["answer"]))
    passages = quoted_passages(answer)
    if len(passages) < len(answer["claims"]):
        for passage in map(clean, passages):
            start = text.plain.rfind(passage)
            if start >= 0:
                text.stylize("dim", start, start + len(passage))
    begun = 0
    for citation in cited(answer):
        written = citation["quote"]
        for quote in (clean(as_prose(written)), clean(written)):  # it may stand as either
            found = re.compile(r"\s+".join(map(re.escape, quote.split()))).search(text.plain, begun)
            if found:
                text.stylize("bold", *found.span())
                begun = found.start()
                break
    for target in _TARGET.finditer(text.plain):
        text.stylize("not bold dim", *target.span())
    return text


def quoted_passages(answer: Answer) -> list[str]:
    """What stands in the answer as it stands in a document."""
    return [claim["text"] for claim in answer["claims"] if claim["reason"] == QUOTED]


def cited(answer: Answer) -> Sequence[Citation]:
    """The places that the text cites: a refusal shows what lies nearest under it, or nothing."""
    shown = "\n\n" in answer["answer"]
    return answer["citations"] or (answer["nearest"] if shown else [])


def citation_of(answer: Answer, number: int) -> Citation:
    """The place that the text calls [number]; raises UsageError where it has none."""
    found = cited(answer)
    for citation in found:
        if citation["marker"] == number:
            return citation
    known = f"It has {many(len(found), 'citation')}." if found else "It cites nothing."
    raise UsageError(f"That answer has no citation [{number}].", known)


def report_notices(terminal: Terminal, answer: Answer) -> None:
    """A line on standard error for each claim that was taken out, and the warnings: what a person
    should know before the answer is read.
    """
    for line in left_out(answer["dropped"], answer["claims"]):
        terminal.notice(line)
    for warning in answer["warnings"]:
        terminal.notice(f"warning: {warning}")


def print_sources(
    terminal: Terminal,
    citations: Iterable[Citation],
    notes: Mapping[str, str] | None = None,
    style: str = "",
) -> None:
    """The cited places; `notes` by source stand behind the quotes."""
    for citation in citations:
        line = source_line(citation) + (notes or {}).get(citation["source"], "")
        if not terminal.out_is_tty:
            terminal.out(line)
            continue
        from rich.text import Text

        console = terminal.out_console()
        for row in rows(Text(clean(line)), console, hang=len(f"[{citation['marker']}] ")):
            console.print(row, style=style, soft_wrap=True)


def source_line(citation: Citation) -> str:
    place_ = f"{_where(citation)}{_recognized(citation)}{_also(citation)}"
    return f"[{citation['marker']}] {place_}  {_what(citation)}"


def _what(citation: Citation) -> str:
    """The document's title where the answer itself is the quote, or else the quote."""
    shown = citation["support"] == "verbatim" and citation["passage"] != citation["quote"]
    if shown and citation["title"]:
        return shorten(citation["title"], QUOTE_WIDTH)
    return f"“{shorten(citation['quote'], QUOTE_WIDTH)}”"


def _also(citation: Citation) -> str:
    copies = citation.get("also", [])
    return f" (also in {many(len(copies), 'other file')})" if copies else ""


def _recognized(citation: Citation) -> str:
    """A page that was read off a picture may be read wrongly."""
    sure = citation.get("recognized")
    return "" if sure is None else f" (OCR, {sure:.0%})"


def _where(citation: Citation) -> str:
    return place(citation["source"], citation["page"], citation["start_line"], citation["end_line"])
