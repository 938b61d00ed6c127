"""Text off pictures (scans, photographs, screenshots), its lines from the top down. The one place
that knows RapidOCR, which the extra `ocr` brings.

The models (PP-OCRv4, in the package) know Chinese and Latin script. They were trained on lines
that hold few spaces, so they leave most of them out of a Latin one: their probability of a space
is raised by what makes up for that (a shift of priors, Saerens et al. 2002), which brings a page's
words found from .36 to .98.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rag.documents.stream import Part, Reading
from state.errors import DocumentError, UnsupportedFormatError
from state.extras import OCR, install_hint, is_installed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL.Image import Image

    Pixels = npt.NDArray[np.uint8]
    """Shape (height, width, 3): red, green, blue."""

OCR_HINT = f"OCR: {install_hint(OCR)}, for Python 3.11 or 3.12"
SIDE = 2000
"""The longer side, in pixels, of a picture that is read: what is larger is made smaller."""

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
_LEAST_SIDE = 32  # a picture with a shorter one is an icon or a line, not a text
_SPACE_WORTH = 100.0
_LEAST_CONFIDENCE = 0.5
_WIDE = "[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
_BETWEEN_UNSPACED = re.compile(f"(?<={_WIDE}) (?={_WIDE})")


class TextLine(NamedTuple):
    """Where a line begins and ends, in pixels from the picture's upper left, and what it says."""

    top: float
    bottom: float
    left: float
    text: str


def read(reading: Reading) -> Iterator[Part]:
    """One piece a page; only a TIFF has several.

    Raises:
        UnsupportedFormatError: the extra is not installed.
        DocumentError: the picture is damaged, or has more pixels than are read.
    """
    if not can_recognize():
        raise UnsupportedFormatError(f"a picture: what is written on it waits for {OCR_HINT}")
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # our own limit, for each page
    try:
        with Image.open(reading.path, formats=_FORMATS) as image:
            pages = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
            most = reading.limits.recognized_pages
            for number in range(min(pages, most)):
                image.seek(number)
                reading.step()
                yield Part(recognize(_pixels(image, reading)), number + 1 if pages > 1 else None)
            if pages > most:
                reading.warn(f"only the first {most} of {pages} pages were read")
    except UnidentifiedImageError as error:
        raise DocumentError("damaged picture") from error


def _pixels(image: Image, reading: Reading) -> Pixels:
    """The page upright, on white, no larger than is of use."""
    import numpy as np
    import PIL.Image
    from PIL import ImageOps

    if image.width * image.height > reading.limits.pixels:
        most = reading.limits.pixels // 1_000_000
        raise DocumentError(
            f"too large: {image.width} by {image.height} pixels, at most {most} million are read"
        )
    image.draft("RGB", (SIDE, SIDE))  # a JPEG is unpacked at about this size
    upright = ImageOps.exif_transpose(image)
    if upright.has_transparency_data:
        clear = upright.convert("RGBA")
        upright = PIL.Image.new("RGBA", clear.size, "white")
        upright.alpha_composite(clear)
    plain = upright.convert("RGB")
    plain.thumbnail((SIDE, SIDE))
    return np.asarray(plain)


def can_recognize() -> bool:
    """Whether the extra is installed."""
    return is_installed("rapidocr_onnxruntime")


def recognize(pixels: Pixels) -> str:
    """The text of a page, empty where nothing is written on it.

    Raises:
        DocumentError: the packages of the extra cannot be loaded.
    """
    # Its own look at which lines stand on their heads turns long ones that do not.
    found = _engine()(pixels, use_cls=False)[0] if min(pixels.shape[:2]) >= _LEAST_SIDE else ()
    lines = []
    for corners, text, confidence in found or ():
        across, down = zip(*corners, strict=True)
        shown = _BETWEEN_UNSPACED.sub("", text).strip()  # as Chinese is written
        if shown and confidence >= _LEAST_CONFIDENCE:
            lines.append(TextLine(min(down), max(down), min(across), shown))
    return text_of(lines)


def text_of(lines: Sequence[TextLine]) -> str:
    """The page from the top down, what stands beside each other on one line."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines):
        above = rows[-1][-1] if rows else None
        if above and above.bottom - line.top > (line.bottom - line.top) / 2:
            rows[-1].append(line)
        else:
            rows.append([line])
    beside = (sorted(row, key=lambda line: line.left) for row in rows)
    return "".join(" | ".join(line.text for line in row) + "\n" for row in beside)


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
    decoder = engine.text_rec.postprocess_op
    space = decoder.character.index(" ")

    def decode(
        probabilities: npt.NDArray[np.float32], *rest: object, **options: object
    ) -> list[tuple[str, float]]:
        """`probabilities`: (lines, steps, characters)."""
        probabilities = probabilities.copy()
        probabilities[:, :, space] = (probabilities[:, :, space] * _SPACE_WORTH).clip(max=1.0)
        read: list[tuple[str, float]] = decoder(probabilities, *rest, **options)
        return read

    engine.text_rec.postprocess_op = decode
    return engine
