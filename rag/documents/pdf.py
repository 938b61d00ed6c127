"""PDF by page, with pypdf: a page that fails is a warning, not the end of the document. One that
is only a picture is read off it, where the extra `ocr` is installed.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from math import hypot, inf
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rag.documents.cleaning import real_title
from rag.documents.pdf_lines import Font, TextRun, body_font, count_fonts, font_style, page_text
from rag.documents.pdf_pages import reflow
from rag.documents.picture import OCR_HINT, SIDE, can_recognize, recognize
from rag.documents.stream import Part, Reading, document_errors
from state.errors import DocumentError
from state.wording import plural

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

    from rag.documents.picture import Pixels

_LEVEL = 1.0
"""So many points the words of one line lie apart in height, at most."""
_SIGN, _EMS = 0.5, 12.0
"""In font sizes: the usual width of a character, and the widest gap within a line."""
_FORGET_EVERY = 20
_MOST_SCALE = 300 / 72  # pixels a point: what is drawn finer is not read better


def read(reading: Reading) -> Iterator[Part]:
    """One piece a page that has text, with the page's number.

    Raises:
        DocumentError: the document is encrypted, or none of its pages can be read.
    """
    return reflow(_pages(reading))


def _pages(reading: Reading) -> Iterator[Part]:
    with reading.path.open("rb") as file:
        document = _open(file)
        count, most = len(document.pages), reading.limits.recognized_pages
        reading.title = _title(document)
        blank: list[int] = []
        failed: list[int] = []
        scans = 0
        types: Counter[Font] = Counter()  # of the pages so far
        for number in range(1, min(count, reading.limits.pages) + 1):
            reading.step()
            try:
                with document_errors("pdf"):
                    runs = _runs(document.pages[number - 1])
                    types += count_fonts(runs)
                    text = page_text(runs, body_font(types))
                    if not text.strip() and can_recognize():
                        scans += 1
                        text = recognize(_drawn(reading.path, number)) if scans <= most else ""
                if text.strip():
                    yield Part(text, number)
                else:
                    blank.append(number)
            except DocumentError as error:
                reading.warn(f"page {number} cannot be read: {error.message}")
                failed.append(number)
            if number % _FORGET_EVERY == 0:
                # pypdf keeps every object it ever parsed; a page's are not needed again.
                document.resolved_objects.clear()
        if count > reading.limits.pages:
            reading.warn(f"only the first {reading.limits.pages} of {count} pages were read")
        if scans > most:
            reading.warn(f"only {most} scanned pages were read")
        if failed and len(failed) + len(blank) == count:
            raise DocumentError(f"damaged PDF: {reading.warnings[0]}")
        if blank or not count:
            waits = "" if can_recognize() else f"; scans wait for {OCR_HINT}"
            reading.warn(_no_text(blank, count) + waits)


def _open(file: IO[bytes]) -> PdfReader:
    # pypdf reports every oddity on stderr, which belongs to the person.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import PdfReadError

    try:
        document = PdfReader(file, strict=False)
    except PdfReadError:
        # Cut off or written by hand, without the pointer to its table: pypdf finds the objects
        # by itself once there is a pointer at all.
        file.seek(0)
        document = PdfReader(BytesIO(file.read() + b"\nstartxref\n0\n%%EOF\n"), strict=False)
    if document.is_encrypted and document.decrypt("") is PasswordType.NOT_DECRYPTED:
        raise DocumentError("encrypted PDF: needs a password")
    return document


def _title(document: PdfReader) -> str | None:
    try:
        title = document.metadata and document.metadata.title
    except Exception:  # noqa: BLE001 - a broken title is no title; the pages count
        return None
    return real_title(str(title)) if title else None


def _runs(page: PageObject) -> list[TextRun]:
    """The text runs of a page in reading order. A run right of the last one, at its height, is put
    on its line: browsers and Google Docs set each word by itself, many programs each cell.
    """
    found: list[TextRun] = []
    left, end, height = 0.0, 0.0, inf  # of what was set last; where it ends is estimated

    def visit(text: str, outer: list[float], own: list[float], font: Any, size: float) -> None:
        nonlocal left, end, height
        right, up = (outer[n] * own[4] + outer[n + 2] * own[5] + outer[n + 4] for n in (0, 1))
        level, steep = (outer[n] * own[0] + outer[n + 2] * own[1] for n in (0, 1))
        is_upright = abs(steep) < abs(level)
        high = abs(size) * hypot(*outer[:2]) * hypot(*own[:2])
        if said := text.strip():
            before = found[-1].text if found else ""
            is_near = abs(up - height) < _LEVEL and left < right < end + _EMS * high
            if before.endswith("\n") and is_near:
                found[-1] = found[-1]._replace(text=before[:-1] + " ")
            left, end = right, right + _SIGN * high * len(said)
            height = up if is_upright and "\n" not in said else inf
        if text:
            style = font_style(str((font or {}).get("/BaseFont")))
            found.append(TextRun(text, Font(round(high, 1) * is_upright, style), right, up))

    page.extract_text(visitor_text=visit)
    return found


def _no_text(blank: list[int], count: int) -> str:
    if len(blank) == count:
        return "no text on any page: scanned or drawn" if count else "no pages"
    shown = ", ".join(map(str, blank[:10])) + ", …" * (len(blank) > 10)
    return f"no text on {plural(len(blank), 'page')} {shown}: scanned, drawn or blank"


def _drawn(path: Path, number: int) -> Pixels:
    """Page `number`, from 1, drawn upright on white, with at most SIDE pixels a side."""
    import pypdfium2 as pdfium

    with closing(pdfium.PdfDocument(path)) as document, closing(document[number - 1]) as page:
        scale = min(SIDE / max(*page.get_size(), 1.0), _MOST_SCALE)
        drawn: Pixels = page.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3]
        return drawn.copy()
