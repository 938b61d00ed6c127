"""Markdown: the text as it stands; the title from its front matter or first heading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rag.documents.grammar import Parsed, read_parsed, title_of
from rag.documents.stream import Part, Reading
from rag.text.blocks import MOST_PARSED
from rag.text.plain import scan_plain

_BEGINNING = 20_000


def read(reading: Reading) -> Iterator[Part]:
    """The file's text in one piece, or by blocks of it where it is too long to be parsed."""

    def by_lines(texts: Iterable[str]) -> Iterator[Part]:
        for number, text in enumerate(texts):
            if number == 0:
                beginning = text[:_BEGINNING]
                reading.title = title_of(beginning, scan_plain(beginning, "markdown"))
            yield Part(text)

    return read_parsed(reading, MOST_PARSED, _parse, by_lines)


def title(text: str) -> str | None:
    """The title that front matter or the first heading outside code gives."""
    found = _parse(text)
    return found and title_of(*found)


def _parse(text: str) -> Parsed | None:
    from rag.text.markdown_blocks import markdown_blocks

    placed = markdown_blocks(text)
    return None if placed is None else (text, placed)
