"""The lines of a paragraph: wrapped ones belong together, deliberately broken ones do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.text.line_marks import GLANCE, ITEM
from state.blocks import BlockKind, Extent

Line = tuple[int, str]
"""Where it starts, and its text without the line break."""

FIELD = re.compile(r"\s*[^\W\d_][^:\uff1a\n]{0,40}[:\uff1a]\s+\S")
_STAMP = re.compile(r"(?!\d+\s)\W*\d[\W\d]*(?<!\s)(?=\s)")
"""A time or a number with signs in it, that a line begins with."""
_AMOUNT = re.compile(r"\d[.,]\d\d(?:\s?(?:[€$£]|[A-Z]{3}))?\s*$")
_GAP = re.compile(r"(?<=\S) {3,}(?=\S)")
"""What aligns the cells of lines below each other."""
_TERM = re.compile(r"[ \t]*(?:[^\n]{1,200}::|-{1,2}[\w?][^\n]{0,100})$")
_OPTION = re.compile(r"[ \t]+--?[A-Za-z?#]|-[A-Za-z],? ")
_ENDS = tuple(".!?:;\u2026\u3002")
_SENTENCE_WORDS = 2
_NARROWEST, _WIDEST = 30, 120
"""Characters a line: what is narrower was not wrapped, what is wider has to show that it was."""
_AROUND = 4
"""So many lines before and behind show how wide the text is there."""


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

    A wrapped line ends where the next word did not fit, and so do most lines of a wrapped
    paragraph; a line that ends well before the paragraph's width was ended by its writer (an
    address, a verse, a field), and so was one before a line that begins as the run does, with a
    time or a number.
    """
    if not lines:
        return
    marked = ITEM.match(lines[0][1])
    hanging = marked is not None and all(text[:1] in " \t" for _, text in lines[1:])
    opening = lines[0][1][marked.end() - 1 if marked else 0 :].lstrip("\"'+-*( ")
    opens = lines[0][1]
    needs = [len(line) + 1 + _first_word(text) for (_, line), (_, text) in pairwise(lines)]
    ended = [line.rstrip().endswith(_ENDS) or FIELD.match(line) for _, line in lines]
    start = lines[0][0]
    for at, ((begin, line), (following, text)) in enumerate(pairwise(lines)):
        stripped = text.lstrip(" \t>")
        first, last = max(at - _AROUND + 1, 0), at + _AROUND
        width = max(len(near) for _, near in lines[first : last + 1])
        open_ended = [
            n for n, end in zip(needs[first:last], ended[first:last], strict=False) if not end
        ]
        wrapped = hanging or (width >= _NARROWEST and _is_wrapped(open_ended, width))
        ends = not wrapped or needs[at] <= 0.75 * width
        unbroken = not opening[:1].islower() and not line.rstrip()[-1:].isdigit()
        goes_on = _runs_on(line, stripped) and (wrapped or unbroken)
        # A ">" alone parts two paragraphs of a quotation.
        if (
            not stripped
            or (ends and not goes_on)
            or (FIELD.match(text) and FIELD.match(line))
            or (_AMOUNT.search(text) and _AMOUNT.search(line))
            or (_cells(text) & _cells(line))
            or (_STAMP.match(opens[:40]) and _STAMP.match(text[:40]))
            or (_OPTION.match(opens[:40]) and _OPTION.match(text[:40]))
        ):
            yield start, begin + len(line)
            start, opens = following, text
    begin, line = lines[-1]
    yield start, begin + len(line)


def _cells(line: str) -> set[int]:
    """The columns in which the cells of a row begin, but for the first."""
    return {gap.end() for gap in _GAP.finditer(line[:GLANCE])}


def defines(lines: Sequence[Line], parts: Sequence[Extent]) -> bool:
    """Whether the last run says what the lines above it name: options, or terms of AsciiDoc."""
    names = [line for at, line in lines if at < parts[-1][0]]
    return bool(names) and all(_TERM.match(line) for line in names)


def _first_word(line: str) -> int:
    """How long the line's first word is; in a script without spaces, a character."""
    word = next(iter(line.lstrip(" \t>").split(None, 1)), "")
    return len(word) if word < "\u2e80" else 1


def _is_wrapped(needs: Sequence[int], width: int) -> bool:
    """Whether hardly a word more would have fitted into most lines; of two, into one."""
    full = sum(need > 0.85 * width for need in needs)
    most = 2 * full + (len(needs) <= 2) > len(needs)
    return most and (width <= _WIDEST or full > 1)


def _runs_on(line: str, following: str) -> bool:
    """Whether the sentence goes on: no mark ends the line, and a small letter follows, also one of
    a link, which formatters never part. The first line of a quoted stretch may begin in mid-line
    and be short for that.
    """
    return (
        following.lstrip("[`*_")[:1].islower()
        and len(line.split()) >= _SENTENCE_WORDS
        and (line.rstrip()[-1:].isalnum() or line.rstrip()[-1:] == ",")
    )
