"""A finished answer as a person reads it: snippets, each below its place, or a model's text and the
places that it cites; and such a place with the lines around it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cli.terminal import Terminal, clean, rows
from rag.text.prose import as_prose, one_line
from state.answer import Answer, Citation, shown_citations
from state.errors import UsageError
from state.passages import is_web
from state.wording import LONGEST_QUESTION, many, shorten, written_place

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from rag.index.reader import CollectionReader

QUOTE_WIDTH = 120
HEADING_WIDTH = 80
INDENT = "   "
"""The indentation of a snippet below its place."""
AROUND = 3
"""Lines shown before and after a quote in its surroundings."""
LINE_WIDTH = 400
_ROW_HANG = 2
_FENCES = ("```", "~~~")


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
    if terminal.out_is_tty:
        print_answer(terminal.console(stderr=False), answer)
    else:
        for line in answer_lines(answer):
            terminal.out(line)
    for citation in shown_citations(answer) if quotes else ():
        lead = f"[{citation['marker']}] "
        quoted = textwrap.indent(f"“{citation['quote'].strip()}”", " " * len(lead)).lstrip()
        terminal.out("")
        terminal.wrapped(lead + quoted, len(lead))
    for part in answer["missing"] if answer["status"] != "abstained" else ():
        terminal.notice(f"not found in the documents: {one_line(part)}")


def styled(answer: Answer) -> Text:
    """The lines of the answer, the place of each snippet dim, and in bold what comes nearest to the
    question, unless that is all of the snippet.
    """
    from rich.text import Text

    text = Text(clean("\n".join(answer_lines(answer))))
    at = 0
    for citation in snippets_of(answer):
        line, written = clean(_place_line(citation)), citation.get("best", citation["quote"])
        at = text.plain.index(line, at)
        text.stylize("bold", at, at + len(str(citation["marker"])))
        text.stylize("dim", at + len(str(citation["marker"])), at + len(line))
        for quote in (clean(as_prose(written)), clean(written)):  # it may show either form
            words = re.compile(r"\s+".join(map(re.escape, quote.split())))
            if found := words.search(text.plain, at + len(line)):
                if found[0].split() != clean(citation["shown"]).split():
                    text.stylize("bold", *found.span())
                break
    return text


def snippets_of(answer: Answer) -> Sequence[Citation]:
    """The snippets of an answer without a model; none of a model's answer."""
    found = shown_citations(answer)
    return found if all("shown" in each for each in found) else []


def _text_above(answer: Answer) -> str:
    """The text that is no snippet: a model's, or the line above the nearest passages."""
    if not snippets_of(answer):
        return answer["answer"]
    return "" if answer["citations"] else answer["answer"].partition("\n\n")[0]


def citation_of(answer: Answer, marker: str) -> Citation:
    """The citation with that marker; raises UsageError if there is none."""
    found = shown_citations(answer)
    for citation in found:
        if str(citation["marker"]) == marker:
            return citation
    known = f"It has {many(len(found), 'citation')}." if found else "It cites nothing."
    raise UsageError(f"That answer has no citation [{marker}].", known)


def notice_lines(answer: Answer) -> Iterator[str]:
    """What a person should know before reading: how a follow-up was understood, each claim that was
    taken out, the warnings.
    """
    if answer["standalone_question"] != answer["question"]:
        yield f"Understood as: {shorten(answer['standalone_question'], 2 * LONGEST_QUESTION)}"
    for claim in answer["claims"]:
        if claim["text"] in answer["dropped"]:
            yield f"left out: “{one_line(claim['text'])}” ({claim['reason']})"
    yield from (f"warning: {warning}" for warning in answer["warnings"])


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
    return written_place({**citation, "anchor": None} if says else citation)


def print_answer(console: Console, answer: Answer) -> None:
    print_wrapped(console, styled(answer), INDENT if snippets_of(answer) else "")


def print_wrapped(console: Console, text: Text, indent: str = "") -> None:
    """Print text, on a terminal with lines broken between words only, and not in code, so that it
    can be copied as it was written. Its lines may be indented already; a table's row goes on
    further in.
    """
    fenced = False
    for line in text.split("\n", allow_blank=True):
        mark = line.plain.strip().startswith(_FENCES)
        code = line.plain.removeprefix(indent).startswith(("    ", "\t"))
        fenced ^= mark
        hang = len(indent) + _ROW_HANG if " | " in line.plain else 0
        for row in [line] if fenced or mark or code else rows(line, console, hang):
            console.print(row, soft_wrap=True)


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
    terminal.wrapped("\n".join(source_lines([citation])))
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
