"""What a source file becomes: a Document with its text, and the Chunks cut from it."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field

from state.blocks import Block

NO_PAGE = 0
"""Stands for the page of a picture that has no pages, where it was recognized."""


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


@dataclass(frozen=True, slots=True)
class Chunk:
    """A unit of retrieval; `text == document.text[start_char:end_char]` always holds.

    Attributes:
        chunk_id: unique in its collection, stable while source, place and text are.
        start_line, end_line: 1-based, inclusive, in the extracted text.
        heading: the headings above the chunk, joined by " > "; empty at top level.
        blocks: what the chunk is made of, in order; offsets as its own.

    """

    chunk_id: str
    source: str
    title: str | None
    page: int | None
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    text: str
    heading: str = ""
    blocks: tuple[Block, ...] = ()


def chunk_id(source: str, start_char: int, text: str) -> str:
    """16 hexadecimal digits, the same wherever source, place and text are."""
    label = f"{source}\0{start_char}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(label, digest_size=8).hexdigest()
