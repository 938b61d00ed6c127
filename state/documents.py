"""Chunks, into which a source file's text is cut, with their headings and ids."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from state.blocks import Block

QUOTED_BY = "quoted by"
"""Begins the anchor of what a mail quotes at its end."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A unit of retrieval; `text == document.text[start_char:end_char]` always holds.

    Attributes:
        start_line, end_line: 1-based, inclusive, in the extracted text.
        anchor: the place as a person says it ("p. 4", "slide 3", "sheet Fares"); None where the
            lines are lines of the file itself, never otherwise.
        heading: the headings above the chunk, joined by " > "; empty at top level.
        blocks: the chunk's blocks in order, with offsets in the document's text.
    """

    page: int | None
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    text: str
    heading: str = ""
    blocks: tuple[Block, ...] = ()
    anchor: str | None = None


def heading_path(title: str | None, heading: str) -> str:
    """A chunk's heading path: its document's title, then the headings above the chunk. The first
    heading is often the title, which then stands once.
    """
    if title and f"{heading} > ".startswith(f"{title} > "):
        return heading
    return " > ".join(label for label in (title, heading) if label)


def without_header(heading: str) -> tuple[str, str]:
    """A chunk's headings and, apart from them, the header of the table that it continues."""
    above, bar, header = f" > {heading}".partition(" > | ")
    return above[3:], f"| {header}" if bar else ""


def text_with_headings(title: str | None, heading: str, text: str) -> str:
    """A chunk's text below its heading path, as embedders are given it."""
    above = heading_path(title, heading)
    return f"{above}\n{text}" if above else text


def chunk_id(source: str, start_char: int, text: str) -> str:
    """16 hexadecimal digits, unique in a collection, stable while source, place and text are."""
    label = f"{source}\0{start_char}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(label, digest_size=8).hexdigest()
