"""The lines of a paragraph: wrapped ones belong together, deliberately broken ones do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from state.blocks import Extent

Line = tuple[int, str]
"""Where it starts, and its text without the line break."""

FIELD = re.compile(r"\s*[^\W\d_][^:\uff1a\n]{0,40}[:\uff1a]\s+\S")
_SENTENCE_WORDS = 2


def lines_of(text: str, start: int, end: int) -> list[Line]:
    """The lines of `text[start:end]`, offsets in `text`."""
    lines: list[Line] = []
    for raw in text[start:end].splitlines(keepends=True):
        lines.append((start, raw.rstrip("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")))
        start += len(raw)
    return lines


def runs(lines: Sequence[Line], narrowest: int = 0) -> Iterator[Extent]:
    """Joins lines that were wrapped, at `narrowest` columns or more; parts lines that were broken
    on purpose.

    A wrapped line ends where the next word did not fit; a line that ends well before the
    paragraph's width was ended by its writer (an address, a verse, a field).
    """
    if not lines:
        return
    width = max(narrowest, *(len(text) for _, text in lines))
    start = lines[0][0]
    for (begin, line), (following, text) in pairwise(lines):
        stripped = text.lstrip(" \t>")
        word = stripped.split(None, 1)[0] if stripped and stripped.isascii() else stripped[:1]
        short = len(line) + 1 + len(word) <= 0.75 * width
        # A ">" alone parts two paragraphs of a quotation.
        if (
            not stripped
            or (short and not _runs_on(line, stripped))
            or (FIELD.match(text) and FIELD.match(line))
        ):
            yield start, begin + len(line)
            start = following
    begin, line = lines[-1]
    yield start, begin + len(line)


def _runs_on(line: str, following: str) -> bool:
    """Whether the sentence goes on: no mark ends the line, and a small letter follows. The first
    line of a quoted stretch may begin in mid-line and be short for that.
    """
    return (
        following[:1].islower()
        and len(line.split()) >= _SENTENCE_WORDS
        and line.rstrip()[-1:].isalnum()
    )
