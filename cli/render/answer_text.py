"""A finished answer as a person reads it: snippets, each below its place, or a model's text and the
places that it cites.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cli.render.text import place, print_wrapped
from cli.terminal import Terminal, clean, print_rows
from rag.text.prose import as_prose, one_line
from state.answer import Answer, Citation, shown_citations
from state.errors import UsageError
from state.wording import many, shorten

if TYPE_CHECKING:
    from rich.text import Text

QUOTE_WIDTH = 120
HEADING_WIDTH = 80
INDENT = "   "
"""The indentation of a snippet below its place."""


def answer_lines(answer: Answer) -> Iterator[str]:
    """The answer, or the nearest passages, with their places, as plain lines."""
    snippets = snippets_of(answer)
    yield from _text_above(answer).splitlines() or ([] if snippets else [""])
    for number, citation in enumerate(snippets):
        if number or _text_above(answer):
            yield ""
        yield _place_line(citation)
        yield from (f"{INDENT}{line}".rstrip() for line in citation["shown"].splitlines())
    if shown_citations(answer) and not snippets:
        yield ""
        yield from source_lines(shown_citations(answer))


def show_answer(terminal: Terminal, answer: Answer, *, data: bool, quotes: bool) -> None:
    """Print the answer to stdout, as JSON if `data`, else with its places, then with `quotes` the
    whole cited quotes. Before it, on stderr, stands what a person should know; behind it each part
    of the question that the documents do not answer.
    """
    for line in notice_lines(answer):
        terminal.notice(line)
    if data:
        terminal.json(answer)
        return
    if not terminal.out_is_tty:
        for line in answer_lines(answer):
            terminal.out(line)
    else:
        _draw(terminal, answer)
    for citation in shown_citations(answer) if quotes else ():
        terminal.out("")
        lead = f"[{citation['marker']}] "
        gap = f"\n{' ' * len(lead)}" if terminal.out_is_tty else "\n"
        quote = citation["quote"].strip().replace("\n", gap)
        terminal.wrapped(f"{lead}“{quote}”", len(lead))
    for part in answer["missing"] if answer["citations"] else ():
        terminal.notice(f"not in the documents: {one_line(part)}")


def _draw(terminal: Terminal, answer: Answer) -> None:
    from rich.text import Text

    console, snippets = terminal.console(stderr=False), snippets_of(answer)
    if _text_above(answer):
        print_wrapped(console, Text(clean(_text_above(answer))))
    for number, citation in enumerate(snippets):
        if number or _text_above(answer):
            terminal.out("")
        line = Text(clean(_place_line(citation)), style="dim")
        line.stylize("not dim bold", 0, len(str(citation["marker"])))
        print_rows(console, line, len(INDENT))
        print_wrapped(console, snippet_text(citation), INDENT)
    if shown_citations(answer) and not snippets:
        terminal.out("")
        print_sources(terminal, shown_citations(answer))


def snippets_of(answer: Answer) -> Sequence[Citation]:
    """The snippets of an answer without a model; none of a model's answer."""
    found = shown_citations(answer)
    return found if all("shown" in each for each in found) else []


def _text_above(answer: Answer) -> str:
    """The text that is no snippet: a model's, or the line above the nearest passages."""
    if not snippets_of(answer):
        return answer["answer"]
    return "" if answer["citations"] else answer["answer"].partition("\n\n")[0]


def snippet_text(citation: Citation) -> Text:
    """A snippet with its quote in bold."""
    from rich.text import Text

    text = Text(clean(citation["shown"]))
    written = citation["quote"]
    for quote in (clean(as_prose(written)), clean(written)):  # the snippet may show either form
        found = re.compile(r"\s+".join(map(re.escape, quote.split()))).search(text.plain)
        if found:
            text.stylize("bold", *found.span())
            break
    return text


def citation_of(answer: Answer, number: int) -> Citation:
    """The citation with that marker; raises UsageError if there is none."""
    found = shown_citations(answer)
    for citation in found:
        if citation["marker"] == number:
            return citation
    known = f"It has {many(len(found), 'citation')}." if found else "It cites nothing."
    raise UsageError(f"That answer has no citation [{number}].", known)


def notice_lines(answer: Answer) -> Iterator[str]:
    """What a person should know before reading: how a follow-up was understood, each claim that was
    taken out, the warnings.
    """
    if answer["standalone_question"] != answer["question"]:
        yield f"Understood as: {one_line(answer['standalone_question'])}"
    for claim in answer["claims"]:
        if claim["verdict"] == "contradicted":
            yield f"left out: “{one_line(claim['text'])}” ({claim['reason']})"
    yield from (f"warning: {warning}" for warning in answer["warnings"])


def print_sources(terminal: Terminal, citations: Iterable[Citation]) -> None:
    """Print the cited places."""
    for line in source_lines(citations):
        terminal.wrapped(line, line.index(" ") + 1)


def source_lines(citations: Iterable[Citation]) -> Iterator[str]:
    """One line a place, after all markers that cite it."""
    numbers: dict[str, str] = {}
    for citation in citations:
        line = f" {_where(citation)}  {_heading_and_quote(citation)}"
        numbers[line] = numbers.get(line, "") + f"[{citation['marker']}]"
    yield from (number + line for line, number in numbers.items())


def _place_line(citation: Citation) -> str:
    """The line above a snippet: its marker, its heading, where it begins."""
    heading = shorten(one_line(citation.get("heading", "")), HEADING_WIDTH)
    named = f"{heading} · " if heading else ""
    begins: Citation = {**citation, "end_line": citation["start_line"]}
    return f"{citation['marker']}  {named}{_where(begins)}"


def _heading_and_quote(citation: Citation) -> str:
    """The heading, or else the title, and the quote."""
    heading = one_line(citation.get("heading") or citation["title"] or "").rstrip(":")
    named = f"{shorten(heading, HEADING_WIDTH)}: " if heading else ""
    return f"{named}“{shorten(as_prose(citation['quote']), QUOTE_WIDTH)}”"


def _where(citation: Citation) -> str:
    says = (citation["anchor"] or "").startswith("section ")  # as the heading beside it does
    return place({**citation, "anchor": None} if says else citation)
