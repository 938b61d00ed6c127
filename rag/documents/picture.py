"""Text off pictures (scans, photographs, screenshots), its lines from the top down. The one place
that knows RapidOCR, which the extra `ocr` brings; its models (PP-OCRv6, in the package) know Latin,
Chinese and Japanese script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from rag.documents.stream import Part, Reading
from state.errors import DocumentError, UnsupportedFormatError
from state.extras import OCR, install_hint, is_installed

if TYPE_CHECKING:
    from PIL.Image import Image

OCR_HINT = f"OCR: {install_hint(OCR)}"
SIDE = 2000
"""The longer side, in pixels, of a picture that is read: what is larger is made smaller."""

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
_LEAST_SIDE = 32  # a picture with a shorter one is an icon or a line, not a text
_SETTINGS = {  # on one core: there is a process a core
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "Global.log_level": "critical",
    # Its own look at which lines stand on their heads turns long ones that do not.
    "Global.use_cls": False,
    # It would enlarge a picture until the shorter side has 736 pixels: a thin one without bound.
    "Det.limit_type": "max",
    "Det.limit_side_len": SIDE,
}
_COLUMNS = re.compile(" {2,}")


def read(reading: Reading) -> Iterator[Part]:
    """One piece a page; only a TIFF has several.

    Raises:
        UnsupportedFormatError: the extra is not installed.
        DocumentError: the picture is damaged, or has more pixels than are read.
    """
    if not can_recognize():
        raise UnsupportedFormatError(f"a picture: what is written on it waits for {OCR_HINT}")
    import PIL.Image

    PIL.Image.MAX_IMAGE_PIXELS = None  # our own limit, for each page
    try:
        with PIL.Image.open(reading.path, formats=_FORMATS) as image:
            pages = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
            most = reading.limits.pages
            for number in range(min(pages, most)):
                image.seek(number)
                reading.step()
                text = recognize(_upright(image, reading))
                yield Part(text, number + 1 if pages > 1 else None)
            if pages > most:
                reading.warn(f"only the first {most} of {pages} pages were read")
    except PIL.UnidentifiedImageError as error:
        raise DocumentError("damaged picture") from error


def _upright(image: Image, reading: Reading) -> Image:
    """The page as its camera was held, no larger than is of use."""
    from PIL import ImageOps

    if image.width * image.height > reading.limits.pixels:
        most = reading.limits.pixels // 1_000_000
        raise DocumentError(
            f"too large: {image.width} by {image.height} pixels, at most {most} million are read"
        )
    image.draft("RGB", (SIDE, SIDE))  # a JPEG is unpacked at about this size
    upright = ImageOps.exif_transpose(image)
    plain = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    plain.thumbnail((SIDE, SIDE))
    return plain


def can_recognize() -> bool:
    """Whether the extra is installed."""
    return is_installed("rapidocr")


def recognize(page: Image) -> str:
    """The text of a page, empty where nothing is written on it; what stands beside each other, as
    in a table, on one line.

    Raises:
        DocumentError: the packages of the extra cannot be loaded.
    """
    if min(page.size) < _LEAST_SIDE:
        return ""
    found = _engine()(page)
    return _COLUMNS.sub(" | ", f"{found.to_markdown()}\n") if found.txts else ""


@cache
def _engine() -> Any:
    """Loaded once a process."""
    try:
        import cv2
        from rapidocr import RapidOCR
    except ImportError as error:  # as where the processor is not one that OpenCV is built for
        raise DocumentError(f"the extra {OCR!r} does not load: {error}") from error
    cv2.setNumThreads(1)
    return RapidOCR(params=_SETTINGS)
