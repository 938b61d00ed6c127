"""Markdown and reStructuredText: text with a grammar, read whole with its blocks."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from rag.documents.cleaning import clean
from rag.documents.encoding import text_blocks
from rag.documents.limits import TimeUpError
from rag.documents.stream import Part, Reading
from rag.text.blocks import MOST_PARSED
from rag.text.plain import scan_plain
from state.blocks import BlockKind, Placed

Parsed = tuple[str, Sequence[Placed]]
"""The text as it is shown, and its blocks."""

LONGEST = {"markdown": MOST_PARSED, "rst": 1 << 20}
"""A file of more characters is read by lines, its markup kept."""
_BEGINNING = 20_000
_UNNAMED = frozenset({"", "readme", "index", "contents"})
"""What many files are called."""


def read(reading: Reading) -> Iterator[Part]:
    """One piece with its blocks; by lines where the file is too long, or the parser fails at it
    or takes too long for it.
    """
    texts = text_blocks(reading)
    held: list[str] = []
    length = 0
    for text in texts:
        held.append(text)
        length += len(text)
        if length > LONGEST[reading.format]:
            break
    else:
        found = _parsed(clean("".join(held)), reading)
        if found is not None:
            text, placed = found
            reading.title = title_of(text, placed, reading.path)
            yield Part(text, blocks=tuple(placed))
            return
    yield from _by_lines(chain(held, texts), reading)


def title_of(text: str, placed: Iterable[Placed], path: Path) -> str | None:
    """What a field calls the title, or the first heading, where all others stand below it. One with
    others beside it is a part's: the document is called by its file's name then.
    """
    headings: list[tuple[int, str]] = []
    for _, block in placed:
        shown = " ".join(text[block.start_char : block.end_char].split())
        if block.kind is BlockKind.METADATA:
            name, _, value = shown.partition(":")
            if name.lower() == "title" and value.strip(" \"'"):
                return value.strip(" \"'")
        elif block.kind is BlockKind.HEADING:
            headings.append((block.level, shown))
    if not headings:
        return None
    level, first = headings[0]
    if all(other > level for other, _ in headings[1:]):
        return first
    called = re.sub("[-_]+", " ", path.stem).strip()
    return None if called.lower() in _UNNAMED else called


def markdown(text: str) -> Parsed | None:
    from rag.text.markdown_blocks import markdown_blocks

    placed = markdown_blocks(text)
    return None if placed is None else (text, placed)


def _parsed(text: str, reading: Reading) -> Parsed | None:
    try:
        if reading.format == "rst":
            from rag.documents.rst import as_markdown

            text = as_markdown(text)
        return markdown(text)
    except TimeUpError:
        reading.deadline.step()
    except Exception as error:  # noqa: BLE001 - parsers raise anything at all on odd input
        logging.getLogger(__name__).info("read line by line: %r", error)
    return None


def _by_lines(texts: Iterable[str], reading: Reading) -> Iterator[Part]:
    """As the file stands."""
    for number, text in enumerate(texts):
        if number == 0:
            beginning = text[:_BEGINNING]
            reading.title = title_of(beginning, scan_plain(beginning, reading.format), reading.path)
        yield Part(text)
