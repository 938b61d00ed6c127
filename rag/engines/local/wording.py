"""Sentences of documents as sentences of an answer: readable, and still word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.answering.strips import Strip
from rag.citations.notes import without_notes
from state.passages import Passage

LONGEST = 420
"""Characters of a sentence in an answer; a longer one is cut at its commas."""

DISAGREE = "The sources disagree:"

_LEAD = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+•◦▪‣–—·]|\(?\d{1,4}[.)]|#{1,6})\s+)?(?:\[[ xX]\]\s+)?")
# Bold type, links and comments are for a browser; code keeps its quotes.
_MARKUP = (
    (re.compile(r"\n\s*(?:>\s*)+"), "\n"),
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    # Not the "<T>" of "Option<T>".
    (re.compile(r"</?(?:span|div|small|sub|sup|kbd|abbr|img|br|a|p)(?:\s[^<>]{0,300})?/?>"), ""),
    (re.compile(r"!?\[([^\[\]\n]{1,200})\](?:\([^()\s]{0,300}\)|\[[^\[\]\n]{0,200}\])"), r"\1"),
    (re.compile(r"\*\*([^*\n]+)\*\*"), r"\1"),
    (re.compile(r"(?<![\w_`])_([^_\s`][^_`]*?)_(?![\w_`])"), r"\1"),
)
_ROW = re.compile(r"^\s*\|?(.*?)\|?\s*$", re.DOTALL)
_SEPARATOR = re.compile(r"[\s|:\-=+]*$")
_CLAUSE_END = re.compile(r"[,;:]\s+|\s+[-–—]\s+")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence of a passage that goes into the answer."""

    passage: Passage
    strip: Strip
    head: Strip | None = None  # the row that names the columns of a table's row
    lead: Strip | None = None  # the term that a definition's line defines


def worded(chosen: Sequence[Chosen], *, disagree: bool) -> str:
    """The draft: each sentence with its passage's marker, passages and sentences in order."""
    places = {
        choice.passage["number"]: place for place, choice in reversed(list(enumerate(chosen)))
    }
    ordered = sorted(chosen, key=lambda c: (places[c.passage["number"]], c.strip.start_char))
    said = [_cited(sentence(choice), choice.passage["number"]) for choice in ordered]
    text = " ".join(said)
    return f"{DISAGREE} {text}" if disagree else text


def sentence(choice: Chosen) -> str:
    text = choice.strip.text
    if " | " in text or text.count("|") >= 2:
        return _row(text, _cells(choice.head.text) if choice.head else [])
    if choice.lead:
        text = f"{choice.lead.text.rstrip()}: {text.lstrip(' :')}"
    text = _LEAD.sub("", text, count=1)
    for pattern, shown in _MARKUP:
        text = pattern.sub(shown, text)
    return _shortened(" ".join(without_notes(text).split()))


def _cited(text: str, number: int) -> str:
    """The marker before the full stop, as readers know it from print."""
    if text.endswith(".") and not text.endswith(".."):
        return f"{text[:-1]} [{number}]."
    # A row or a list item gets a full stop, or it would run on into the next sentence.
    stop = "" if text.endswith((".", "!", "?", ":", ";", "…", "。")) else "."
    return f"{text} [{number}]{stop}"


def _cells(row: str) -> list[str]:
    match = _ROW.match(row)
    return [" ".join(cell.split()) for cell in (match.group(1) if match else row).split("|")]


def _row(row: str, head: Sequence[str]) -> str:
    cells = _cells(row)
    if len(head) == len(cells):
        return "; ".join(
            f"{name}: {cell}" if name else cell
            for name, cell in zip(head, cells, strict=True)
            if cell
        )
    return "; ".join(cell for cell in cells if cell and not _SEPARATOR.fullmatch(cell))


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    cut = max(
        (m.start() for m in _CLAUSE_END.finditer(text, LONGEST // 2, LONGEST)),
        default=text.rfind(" ", 0, LONGEST),
    )
    return text[: cut if cut > 0 else LONGEST].rstrip(" ,;:") + " …"
