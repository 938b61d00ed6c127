"""A page off a picture, its lines in reading order: columns of prose in turn, a table's row on one
line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from rag.documents.recognizer import TextLine, recognize
from rag.documents.stream import Part, Reading
from state.documents import NO_PAGE

if TYPE_CHECKING:
    from rag.documents.recognizer import Picture

_PROSE = 10.0  # heights: a line at least so long is of a column of prose, not of a table
_COLUMN = 4  # lines
_ACROSS = 0.25  # the share of lines, headlines and pictures, that may stand across a gutter
_CELLS_APART = 1.5  # heights
_PARAGRAPHS_APART = 0.7  # heights, and
_LINES_APART = 1.6  # times the usual space between two lines


def recognized_part(
    reading: Reading, page: int | None, picture: Callable[[], Picture]
) -> Iterator[Part]:
    """The text of the page, if there is any; notes how sure it is. A page has time of its own."""
    reading.deadline.step(reading.limits.recognition_seconds)
    lines = recognize(picture())
    if lines:
        reading.recognized[page or NO_PAGE] = int(100 * _confidence(lines))
        yield Part(text_of(lines), page)


def text_of(lines: Sequence[TextLine]) -> str:
    """The page as text: a blank line between paragraphs, `a | b` for cells of a row."""
    blocks = [_rows_text(block) for block in _in_order(lines) if block]
    return "\n\n".join(blocks) + "\n" * bool(blocks)


def _confidence(lines: Sequence[TextLine]) -> float:
    """Of a page: the mean of its lines', each for its length."""
    length = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / length if length else 0.0


def _in_order(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """Blocks without columns of prose in them. What stands across a gutter parts the columns
    above it from those below.
    """
    gutter = _gutter(lines)
    if gutter is None:
        yield sorted(lines, key=lambda line: line.top)
        return
    left: list[TextLine] = []
    right: list[TextLine] = []
    for line in sorted(lines, key=lambda line: line.top):
        if line.right <= gutter:
            left.append(line)
        elif line.left >= gutter:
            right.append(line)
        else:
            yield from _in_order(left)
            yield from _in_order(right)
            yield [line]
            left, right = [], []
    yield from _in_order(left)
    yield from _in_order(right)


def _gutter(lines: Sequence[TextLine]) -> float | None:
    """Where two columns of prose part."""
    best, found = 0, None
    for place in sorted({line.left for line in lines}):
        left = [line for line in lines if line.right <= place]
        right = [line for line in lines if line.left >= place]
        smaller = min(len(left), len(right))
        across = len(lines) - len(left) - len(right)
        fits = smaller > best and across <= _ACROSS * len(lines)
        if fits and _is_prose(left) and _is_prose(right):
            best, found = smaller, place
    return found


def _is_prose(lines: Sequence[TextLine]) -> bool:
    usual = median(line.width / max(line.height, 1.0) for line in lines) if lines else 0.0
    return len(lines) >= _COLUMN and usual >= _PROSE


def _rows_text(lines: Sequence[TextLine]) -> str:
    rows = list(_rows(lines))
    gaps = [
        min(line.top for line in below) - max(line.bottom for line in above)
        for above, below in pairwise(rows)
    ]
    height = median(line.height for line in lines)
    most = max(_PARAGRAPHS_APART * height, _LINES_APART * median(gaps)) if gaps else 0.0
    text = _row_text(rows[0])
    for row, gap in zip(rows[1:], gaps, strict=True):
        text += ("\n\n" if gap > most else "\n") + _row_text(row)
    return text


def _rows(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """Lines that stand beside each other, from left to right; `lines` from the top down."""
    row: list[TextLine] = []
    for line in lines:
        if row:
            shared = min(row[-1].bottom, line.bottom) - max(row[-1].top, line.top)
            if shared < min(row[-1].height, line.height) / 2:
                yield sorted(row, key=lambda each: each.left)
                row = []
        row.append(line)
    if row:
        yield sorted(row, key=lambda each: each.left)


def _row_text(row: Sequence[TextLine]) -> str:
    text = row[0].text
    for before, line in pairwise(row):
        apart = line.left - before.right > _CELLS_APART * min(before.height, line.height)
        text += (" | " if apart else " ") + line.text
    return text
