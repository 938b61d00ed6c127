"""reStructuredText: its text without its markup, line for line as in the file, with its blocks."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import chain

from rag.documents import outlines
from rag.documents.cleaning import clean
from rag.documents.encoding import text_blocks
from rag.documents.limits import TimeUpError
from rag.documents.stream import Part, Reading
from rag.text.placed import Placed
from state.blocks import BlockKind

MOST_PARSED = 1 << 20
"""A longer file, in characters, is read line by line, its markup kept."""


def read(reading: Reading) -> Iterator[Part]:
    """One piece; a file that is too long or not to be parsed as `outlines` reads it."""
    blocks = text_blocks(reading)
    held: list[str] = []
    for block in blocks:
        held.append(block)
        if sum(map(len, held)) > MOST_PARSED:
            break
    else:
        found = _parsed(clean("".join(held)), reading)
        if found is not None:
            text, placed = found
            reading.title = _title(text, placed)
            yield Part(text, blocks=tuple(placed))
            return
    yield from outlines.rewritten(chain(held, blocks), reading)


def _parsed(text: str, reading: Reading) -> tuple[str, list[Placed]] | None:
    from rag.documents.rst_blocks import read_blocks

    try:
        return read_blocks(text)
    except TimeUpError:
        reading.deadline.step()
    except Exception as error:  # noqa: BLE001 - docutils raises anything at all on odd input
        logging.getLogger(__name__).info("read as plain text: %r", error)
    return None


def _title(text: str, placed: list[Placed]) -> str | None:
    """Of a field that says so, or the heading that all else stands under."""
    fields = [block for _, block in placed if block.kind is BlockKind.METADATA]
    for block in fields:
        name, _, value = text[block.start_char : block.end_char].partition(": ")
        if name.lower() == "title":
            return " ".join(value.split())
    headings = [block for _, block in placed if block.kind is BlockKind.HEADING]
    return text[slice(*headings[0].extent)] if headings else None
