"""Text off a picture, its lines from the top down. The one place that knows RapidOCR, which the
extra `ocr` brings.

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
_BETWEEN_UNSPACED = re.compile(
    "(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]) (?=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])"
)


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line as it was read, with the recognizer's own confidence, 0 to 1, and where it stands,
    in pixels from the picture's upper left.
    """

    text: str
    confidence: float
    left: float
    top: float
    bottom: float


def can_recognize() -> bool:
    """Whether the extra is installed."""
    return is_installed(PACKAGE)


def recognize(picture: Picture) -> list[TextLine]:
    """The lines of a picture, as the engine gives them.

    Raises:
        DocumentError: the packages of the extra cannot be loaded.
    """
    if min(picture.shape[:2]) < LEAST_SIDE:
        return []
    # Its own look at which lines stand on their heads turns long ones that do not.
    found, _ = _engine()(picture, use_cls=False)
    lines = [_line(*each) for each in found or []]
    return [line for line in lines if line.confidence >= _LEAST_CONFIDENCE and line.text]


def _line(corners: Sequence[Sequence[float]], text: str, confidence: float) -> TextLine:
    across, down = zip(*corners, strict=True)
    shown = _BETWEEN_UNSPACED.sub("", text).strip()
    return TextLine(shown, confidence, min(across), min(down), max(down))


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
    """The page from the top down, what stands beside each other on one line."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.top):
        above = rows[-1][-1] if rows else None
        if above and above.bottom - line.top > (line.bottom - line.top) / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    beside = (sorted(row, key=lambda line: line.left) for row in rows)
    return "".join(" | ".join(line.text for line in row) + "\n" for row in beside)


def _confidence(lines: Sequence[TextLine]) -> float:
    """Of a page: the mean of its lines', each for its length."""
    length = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / length if length else 0.0
