"""Pages of a PDF drawn as pictures, with PDFium, for what has no text of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rag.documents.recognizer import SIDE
from state.errors import DocumentError

if TYPE_CHECKING:
    from rag.documents.recognizer import Picture

_MOST_SCALE = 300 / 72  # pixels a point: what is drawn finer is not read better


class DrawnPages:
    """A PDF whose pages are drawn when asked for; opened with the first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._document: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._document is not None:
            self._document.close()

    def draw(self, number: int) -> Picture:
        """Page `number`, from 1, upright on white, SIDE pixels at the longer side or less.

        Raises:
            DocumentError: PDFium cannot draw it.
        """
        import pypdfium2 as pdfium

        try:
            if self._document is None:
                self._document = pdfium.PdfDocument(self._path)
            page = self._document[number - 1]
            scale = min(SIDE / max(*page.get_size(), 1.0), _MOST_SCALE)
            drawn: Picture = page.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3]
            page.close()
        except (pdfium.PdfiumError, IndexError, ValueError) as error:
            raise DocumentError(f"page {number} cannot be drawn") from error
        return drawn
