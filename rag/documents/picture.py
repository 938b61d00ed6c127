"""Pictures of text (scans, photographs, screenshots), read by the recognizer of the extra `ocr`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.documents.recognizer import SIDE, WAITS_FOR, can_recognize, recognized_part
from rag.documents.stream import Part, Reading
from state.errors import DocumentError, UnsupportedFormatError

if TYPE_CHECKING:
    from PIL.Image import Image

    from rag.documents.recognizer import Picture

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")


def read(reading: Reading) -> Iterator[Part]:
    """One piece a page that has text; only a TIFF has several.

    Raises:
        UnsupportedFormatError: the extra is not installed, or nothing is written on the picture.
        DocumentError: the picture is damaged, or has more pixels than are read.
    """
    if not can_recognize():
        raise UnsupportedFormatError(f"a picture: what is written on it waits for {WAITS_FOR}")
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # our own limit, for each page
    try:
        with Image.open(reading.path, formats=_FORMATS) as image:
            pages = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
            most = reading.limits.recognized_pages
            for number in range(1, min(pages, most) + 1):
                if pages > 1:
                    image.seek(number - 1)
                page = number if pages > 1 else None
                yield from recognized_part(reading, page, lambda: _pixels(image, reading))
            if not reading.recognized:
                raise UnsupportedFormatError("a picture: no text was found on it")
            if pages > most:
                reading.warn(f"only the first {most} of {pages} pages were read")
    except UnidentifiedImageError as error:
        raise DocumentError("damaged picture") from error


def _pixels(image: Image, reading: Reading) -> Picture:
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
