"""The lines of a paragraph: wrapped ones belong together, deliberately broken ones do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.text.line_marks import ITEM
from state.blocks import BlockKind, Extent

Line = tuple[int, str]
"""Where it starts, and its text without the line break."""

FIELD = re.compile(r"\s*[^\W\d_][^:\uff1a\n]{0,40}[:\uff1a]\s+\S")
_ENTRY = re.compile(r"\W*\d[\W\d]*(?<!\s)\s|[ \t]+--?[A-Za-z?#]|-[A-Za-z],? ")
"""A number, a time or an option, that a line begins with."""
_TERM = re.compile(r"[ \t]*(?:[^\n]{1,200}::|-{1,2}[\w?][^\n]{0,100})$")
_SENTENCE_WORDS = 2
_NARROWEST, _WIDEST = 30, 140
"""Characters a line: what is narrower or wider was not wrapped."""
_FULL, _FITS = 0.85, 0.75
"""Shares of the width: a line with more is full, after one with less a word would have fitted."""


def lines_of(text: str, start: int, end: int) -> list[Line]:
    """The lines of `text[start:end]`, offsets in `text`."""
    lines: list[Line] = []
    for line in text[start:end].split("\n"):
        lines.append((start, line))
        start += len(line) + 1
    return lines


def stripped(text: str, start: int, end: int, kind: BlockKind = BlockKind.PARAGRAPH) -> Extent:
    """The extent of `text[start:end]` without white space around it: of code with the indentation
    of its first line, of a quotation without the marks that part its paragraphs.
    """
    said = text[start:end]
    left = (said.replace(">", " ") if kind is BlockKind.NOTE else said).lstrip()
    first = min(start + len(said) - len(left), end)
    if kind is BlockKind.CODE:
        first = max(text.rfind("\n", 0, first) + 1, start)
    return first, start + len(said.rstrip())


def runs(lines: Sequence[Line]) -> Iterator[Extent]:
    """Joins lines that were wrapped; parts lines that were broken on purpose.

    Most lines of a wrapped paragraph are full; one after which another word would have fitted was
    ended by its writer (an address, a verse), and so was one above a line that begins as the run
    does, with a time, a number or an option.
    """
    if not lines:
        return
    texts = [text for _, text in lines]
    needs = [len(line) + 1 + _first_word(text) for line, text in pairwise(texts)]
    width = max(map(len, texts))
    full = sum(need > _FULL * width for need in needs)
    hanging = ITEM.match(texts[0]) and all(text[:1] in " \t" for text in texts[1:])
    most = 2 * full + (len(needs) <= 2) > len(needs)
    wrapped = hanging or (_NARROWEST <= width <= _WIDEST and most)
    start, opens = lines[0]
    for need, (begin, line), (following, text) in zip(needs, lines, lines[1:], strict=False):
        is_small = opens.lstrip("\"'+-*( ")[:1].islower()
        fills = wrapped and need > _FITS * width
        goes_on = fills or (_runs_on(line, text.lstrip(" \t>")) and (wrapped or not is_small))
        begins = _ENTRY.match(opens[:40]) and _ENTRY.match(text[:40])
        # A ">" alone parts two paragraphs of a quotation.
        if begins or not goes_on or not text.strip(" \t>"):
            yield start, begin + len(line)
            start, opens = following, text
    begin, line = lines[-1]
    yield start, begin + len(line)


def defines(lines: Sequence[Line], parts: Sequence[Extent]) -> bool:
    """Whether the last run says what the lines above it name: options, or terms of AsciiDoc."""
    names = [line for at, line in lines if at < parts[-1][0]]
    return bool(names) and all(_TERM.match(line) for line in names)


def _first_word(line: str) -> int:
    """How long the line's first word is; in a script without spaces, a character."""
    word = next(iter(line.lstrip(" \t>").split(None, 1)), "")
    return len(word) if word < "\u2e80" else 1


def _runs_on(line: str, following: str) -> bool:
    """Whether the sentence goes on: no mark ends the line, and a small letter follows, also one of
    a link, which formatters never part. The first line of a quoted stretch may begin in mid-line
    and be short for that.
    """
    return (
        following.lstrip("[`*_")[:1].islower()
        and len(line.split()) >= _SENTENCE_WORDS
        and (line.rstrip()[-1:].isalpha() or line.rstrip()[-1:] == ",")
    )
