"""Text off a picture, its lines in reading order: columns of prose in turn, a table's row on one
line. The one place that knows RapidOCR, which the extra `ocr` brings.

The models (PP-OCRv4, in the package) know Chinese and Latin script. They were trained on lines
that hold few spaces, so they leave most of them out of a Latin one: their probability of a space
is raised by what makes up for that (a shift of priors, Saerens et al. 2002), which brings a page's
words found from .36 to .98.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from rag.documents.stream import Part, Reading
from state.documents import NO_PAGE
from state.errors import DocumentError
from state.extras import OCR, is_installed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    Picture = npt.NDArray[np.uint8]
    """Shape (height, width, 3): red, green, blue."""

PACKAGE = "rapidocr_onnxruntime"
SIDE = 2000
"""The longer side, in pixels, of a picture that is read: what is larger is made smaller."""
LEAST_SIDE = 32
"""A picture with a shorter side is an icon or a line, not a text."""

_SPACE_WORTH = 100.0
_LEAST_CONFIDENCE = 0.5
_UPSIDE_DOWN = 0.6  # the mean confidence below which the page is turned
_BETWEEN_UNSPACED = re.compile(
    "(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]) (?=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])"
)
_PROSE = 10.0  # heights: a line at least so long is of a column of prose, not of a table
_COLUMN = 4  # lines
_ACROSS = 0.25  # the share of lines, headlines and pictures, that may stand across a gutter
_CELLS_APART = 1.5  # heights
_PARAGRAPHS_APART = 0.7  # heights, and
_LINES_APART = 1.6  # times the usual space between two lines


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line as it was read, with the recognizer's own confidence, 0 to 1, and where it stands,
    in pixels from the picture's upper left.
    """

    text: str
    confidence: float
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def width(self) -> float:
        return self.right - self.left


def can_recognize() -> bool:
    """Whether the extra is installed."""
    return is_installed(PACKAGE)


def recognize(picture: Picture) -> list[TextLine]:
    """The lines of a picture, in no order to rely on.

    Raises:
        DocumentError: the packages of the extra cannot be loaded.
    """
    if min(picture.shape[:2]) < LEAST_SIDE:
        return []
    lines = _read(picture)
    if lines and _confidence(lines) < _UPSIDE_DOWN:
        import numpy as np

        turned = _read(np.rot90(picture, 2).copy())
        lines = max(lines, turned, key=_confidence)
    return [line for line in lines if line.confidence >= _LEAST_CONFIDENCE and line.text]


def _read(picture: Picture) -> list[TextLine]:
    # Its own look at which lines stand on their heads turns long ones that do not.
    found, _ = _engine()(picture, use_cls=False)
    return [_line(*each) for each in found or []]


def _line(corners: Sequence[Sequence[float]], text: str, confidence: float) -> TextLine:
    across, down = zip(*corners, strict=True)
    shown = _BETWEEN_UNSPACED.sub("", text).strip()
    return TextLine(shown, confidence, min(across), min(down), max(across), max(down))


@cache
def _engine() -> Any:
    """Loaded once a process, on one core: there is a process a core."""
    try:
        import cv2
        from rapidocr_onnxruntime import RapidOCR
    except ImportError as error:  # OpenCV needs libraries of the system
        raise DocumentError(f"the extra {OCR!r} does not load: {error}") from error
    cv2.setNumThreads(1)
    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL + 1)
    engine = RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1, text_score=0.0)
    engine.text_rec.postprocess_op = _Decoder(engine.text_rec.postprocess_op.character)
    return engine


class _Decoder:
    """The likeliest characters, blanks and repeats left out (CTC), spaces at their worth."""

    def __init__(self, characters: Sequence[str]) -> None:
        self._characters = characters
        self._space = characters.index(" ")

    def __call__(
        self, probabilities: npt.NDArray[np.float32], *_args: object, **_options: object
    ) -> list[tuple[str, float]]:
        """`probabilities`: (lines, steps, characters). Texts with the mean of what is shown."""
        weighed = probabilities.copy()
        weighed[:, :, self._space] *= _SPACE_WORTH
        best = weighed.argmax(axis=2)
        read = []
        for chosen, known in zip(best, probabilities.max(axis=2), strict=True):
            kept = chosen != 0
            kept[1:] &= chosen[1:] != chosen[:-1]
            sure = known[kept & (chosen != self._space)]
            text = "".join(self._characters[each] for each in chosen[kept])
            read.append((text, float(sure.mean()) if len(sure) else 0.0))
        return read


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
