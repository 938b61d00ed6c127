"""A document read whole, which the program itself never does."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

from rag.documents.limits import Limits
from rag.documents.registry import open_document
from rag.documents.stream import Part
from rag.text.blocks import MARKDOWN
from rag.text.chunk import chunk_parts
from rag.text.document_title import document_title, naming_blocks

_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a paginated source: `text[start:end]` of its document (characters)."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """The text extracted from one source file.

    Every offset in the program (chunks, citations) indexes `text`, in characters.

    Attributes:
        source: the path or identifier people see in citations.
        text: the extracted text; a line ends with one line feed only.
        title: the document's own title, where it has one.
        format: the reader that produced it, such as "markdown" or "pdf".
        pages: page spans in ascending order; empty where the format has no pages.
        warnings: what could not be read, in words (an unreadable page, a truncated table).
        recognized: of each page that was read off a picture (NO_PAGE where there are no pages), how
            sure the recognizer was, in percent.

    """

    source: str
    text: str
    title: str | None = None
    format: str = "text"
    pages: tuple[Page, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    recognized: tuple[tuple[int, int], ...] = ()

    def page_at(self, offset: int) -> int | None:
        """The page number holding the character at `offset`, or None without pages."""
        if not self.pages:
            return None
        index = bisect_right([page.start for page in self.pages], offset) - 1
        return self.pages[max(index, 0)].number


def read_document(path: Path, source: str, limits: Limits = _LIMITS) -> Document:
    """The whole document in memory; raises as `open_document` does."""
    texts: list[str] = []
    parts: list[Part] = []
    pages: list[Page] = []
    offset = 0
    with open_document(path, limits) as stream:
        for part in stream.parts:
            end = offset + len(part.text)
            if part.page is not None:
                if pages and pages[-1].number == part.page:
                    pages[-1] = Page(part.page, pages[-1].start, end)
                else:
                    pages.append(Page(part.page, offset, end))
            texts.append(part.text)
            parts.append(part)
            offset = end
        title = stream.title
        if title is None and stream.format in MARKDOWN:
            title = document_title(naming_blocks(chunk_parts(parts, stream.format)), path)
        return Document(
            source=source,
            text="".join(texts),
            title=title,
            format=stream.format,
            pages=tuple(pages),
            warnings=tuple(stream.warnings),
            recognized=tuple(stream.recognized.items()),
        )
