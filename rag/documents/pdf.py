"""PDF by page, with PDFium: a page that fails is a warning, not the end of the document. One that
is only a picture is read off it, where the extra `ocr` is installed. Of all pages one text is made:
running heads are kept once, words broken at a line's end are whole again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import compress, islice, takewhile
from typing import IO, TYPE_CHECKING

from rag.documents.cleaning import real_title
from rag.documents.pdf_lines import BROKEN, Font, body_font, page_lines, page_text
from rag.documents.picture import OCR_HINT, SIDE, can_recognize, recognize
from rag.documents.stream import Part, Reading, document_errors
from rag.text.wrapping import FIELD
from state.errors import DocumentError
from state.wording import listed, plural

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdfium2 import PdfDocument, PdfPage

_MOST_SCALE = 300 / 72  # pixels a point: what is drawn finer is not read better
_REACH = 4
"""How many pages before and behind are searched for running heads."""
_HEAD_LINES = 12
"""Where more lines come back, they are no head: a page may be one of many like it."""
_MOST_NAMED = 10
"""Pages that a warning names: a damaged file may claim any number of them."""
_NUMBER = re.compile(r"[0-9]+")
_BROKEN = re.compile(rf"([^\W\d_]{{0,40}}){BROKEN}(?=([^\W\d_]{{0,40}}))")
_GOES_ON = re.compile(rf"{BROKEN}(\S*)[ \n]?")
_NUMBERED = re.compile(r"\s*[^\W\d_][^0-9]*[0-9]+\s*")
"""A title with a number: at the top of a page it may belong to that page alone."""
_COUNTS_PAGES = re.compile(
    r"\s*(?:pages?|seite|sheet|blatt|p\.|[^:\uff1a]*\d)[^:\uff1a]*[:\uff1a]", re.IGNORECASE
)
"""Matches a name before a colon that no field has: of pages, or with a number, as of a chapter."""
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def read(reading: Reading) -> Iterator[Part]:
    """One piece a page that has text, with the page's number.

    Raises:
        DocumentError: the document is encrypted, or none of its pages can be read.
    """
    return reflow(_pages(reading))


def _pages(reading: Reading) -> Iterator[Part]:
    with reading.path.open("rb") as file, closing(_open(file)) as document:
        count = len(document)
        reading.title = real_title(document.get_metadata_value("Title") or None)
        blank: list[int] = []
        failed: dict[int, str] = {}
        fonts: Counter[Font] = Counter()  # of the pages so far
        for number in range(1, min(count, reading.limits.pages) + 1):
            reading.step()
            try:
                with document_errors("pdf"), closing(document[number - 1]) as page:
                    lines = page_lines(page)
                    for line in lines:
                        fonts[line.font] += len(line.text)
                    text = page_text(lines, body_font(fonts))
                    if not text and can_recognize():
                        text = recognize(_drawn(page))
                if text.strip():
                    yield Part(text, number)
                else:
                    blank.append(number)
            except DocumentError as error:
                failed[number] = error.message
        if failed:
            reading.warn(f"{_named([*failed])} cannot be read: {failed[min(failed)]}")
        if count > reading.limits.pages:
            reading.warn(f"only the first {reading.limits.pages} of {count} pages were read")
        if failed and len(failed) + len(blank) == count:
            raise DocumentError(f"damaged PDF: {reading.warnings[0]}")
        if blank or not count:
            waits = "" if can_recognize() else f"; scans wait for {OCR_HINT}"
            reading.warn(_no_text(blank, count) + waits)


def _open(file: IO[bytes]) -> PdfDocument:
    import pypdfium2 as pdfium

    try:
        return pdfium.PdfDocument(file)
    except pdfium.PdfiumError as error:
        if error.err_code == pdfium.raw.FPDF_ERR_PASSWORD:
            raise DocumentError("encrypted PDF: needs a password") from error
        raise


def _no_text(blank: list[int], count: int) -> str:
    if len(blank) == count:
        return "no text on any page: scanned or drawn" if count else "no pages"
    return f"no text on {_named(blank)}: scanned, drawn or blank"


def _named(pages: Sequence[int]) -> str:
    return f"{plural(len(pages), 'page')} {listed([*map(str, pages)], _MOST_NAMED)}"


def _drawn(page: PdfPage) -> Image:
    """The page drawn upright on white, with at most SIDE pixels a side."""
    scale = min(SIDE / max(*page.get_size(), 1.0), _MOST_SCALE)
    drawn: Image = page.render(scale=scale).to_pil()
    return drawn


def reflow(parts: Iterable[Part]) -> Iterator[Part]:
    """The parts in order, one a page, without running heads and with broken words joined."""
    pages = list(parts)
    said = (each for page in pages for each in page.text.lower().split() if BROKEN not in each)
    words = {word for each in said for word in _WORD.findall(each)}
    heads: set[str] = set()
    for at, page in enumerate(pages):
        around = [*pages[max(at - _REACH, 0) : at], *pages[at + 1 : at + 1 + _REACH]]
        text = "\n\n".join(filter(None, _without_heads(page, around, heads)))
        yield replace(page, text=_mended(f"{text}\n", words))


def _without_heads(page: Part, around: Sequence[Part], seen: set[str]) -> Iterator[str]:
    """The text without the first and last lines that come back at the same place on the pages
    around; where they stand for the first time they are kept, as a paragraph. A field of a form
    ("Checked by: Ann") stays on each page.
    """
    lines = page.text.strip().split("\n")
    others = [(other.page, other.text.strip().split("\n")) for other in around]

    def is_running_head(at: int) -> bool:
        counts = at < 0 or not _NUMBERED.fullmatch(lines[at])
        same = sum(
            -len(theirs) <= at < len(theirs)
            and _same(lines[at], theirs[at], counts and (number or 0) - (page.page or 0))
            for number, theirs in others
        )
        is_field = FIELD.match(lines[at]) and not _COUNTS_PAGES.match(lines[at])
        is_kept = " | " in lines[at] or lines[at].startswith("```") or is_field
        return same >= min(2, len(others)) > 0 and not is_kept

    def run(places: Iterable[int]) -> int:
        """How many lines come back; of more than a head has, none."""
        count = len([*takewhile(is_running_head, islice(places, _HEAD_LINES + 1))])
        return count if count <= _HEAD_LINES else 0

    first = run(range(len(lines)))
    last = max(len(lines) - run(range(-1, -len(lines) - 1, -1)), first)
    for begin, end in ((0, first), (first, last), (last, len(lines))):
        kept = lines[begin:end]
        if (begin, end) != (first, last):
            shapes = [_NUMBER.sub("0", line.strip()) for line in kept]
            new = [_LETTER.search(shape) and shape not in seen for shape in shapes]
            kept = [*compress(kept, new)]
            seen.update(shapes)
        yield "\n".join(kept).strip("\n")


def _same(line: str, other: str, pages: int) -> bool:
    """Whether two lines are alike but for the numbers that count the pages between them."""
    if _NUMBER.split(line) != _NUMBER.split(other):
        return False
    pairs = zip(_NUMBER.findall(line), _NUMBER.findall(other), strict=True)
    return all(own == theirs or int(own[-9:]) + pages == int(theirs[-9:]) for own, theirs in pairs)


def _mended(text: str, words: set[str]) -> str:
    """The text with each broken word on the line where it begins."""
    parts = _BROKEN.sub(lambda found: found[0][:-1] + _hyphen(found, words) + BROKEN, text)
    return _GOES_ON.sub(lambda found: found[1].replace(BROKEN, "") + "\n", parts)


def _hyphen(broken: re.Match[str], words: set[str]) -> str:
    """A broken word's own hyphen; none where a typesetter put it there: if the joined word stands
    elsewhere, or if neither the hyphenated word nor both halves do.
    """
    start, end = broken[1].lower(), broken[2].lower()
    is_own = f"{start}-{end}" in words or {start, end} <= words
    is_own = is_own or not (start and broken[2].islower())
    return "-" if is_own and start + end not in words else ""
