"""One page off a picture, within what a page may take, noted as recognized."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rag.documents.recognized_text import confidence_of, text_of
from rag.documents.recognizer import recognize
from rag.documents.stream import Part, Reading
from state.documents import NO_PAGE
from state.extras import OCR

if TYPE_CHECKING:
    from rag.documents.recognizer import Picture


def needs_extra(waiting: int) -> str:
    """What is said behind why there is no text, of pages that the extra would read."""
    return f" (crag's extra {OCR!r} reads them)" if waiting else ""


def recognized_part(
    reading: Reading, page: int | None, picture: Callable[[], Picture]
) -> Iterator[Part]:
    """The text of the page, if there is any; notes how sure it is. A page has time of its own."""
    reading.deadline.long_step(reading.limits.recognition_seconds)
    lines = recognize(picture())
    if lines:
        reading.recognized[page or NO_PAGE] = int(100 * confidence_of(lines))
        yield Part(text_of(lines), page)
