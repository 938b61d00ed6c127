"""AsciiDoc: its text without its markup, line for line as in the file, with its blocks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from rag.documents.grammar import Parsed, read_parsed
from rag.documents.outlines import rewritten
from rag.documents.stream import Part, Reading

MOST_PARSED = 1 << 22
"""A longer file, in characters, keeps its markup, but for its headings."""


def read(reading: Reading) -> Iterator[Part]:
    """One piece; a file that is too long as `outlines` reads it."""
    return read_parsed(reading, MOST_PARSED, _parse, partial(rewritten, reading=reading))


def _parse(text: str) -> Parsed:
    from rag.documents.asciidoc_blocks import read_blocks

    return read_blocks(text)
