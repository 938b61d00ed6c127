"""The title of a Markdown document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rag.text.prose import as_prose
from state.blocks import Block, BlockKind
from state.documents import Chunk

_UNNAMED = frozenset({"", "readme", "index", "contents"})
"""File names that many files have: no titles."""
_TITLE_FIELD = re.compile(
    r"title(?::| ?=)[ :]*(?:[>|][+-]? )?(?P<quote>[\"']?)(?P<title>.*)(?P=quote)", re.IGNORECASE
)

Naming = tuple[Block, str]
"""A heading or a field, and its text."""


def naming_blocks(chunks: Iterable[Chunk]) -> Iterator[Naming]:
    """The headings and fields of the chunks: one of them may name their document."""
    for chunk in chunks:
        for block in chunk.blocks:
            if block.kind in (BlockKind.HEADING, BlockKind.METADATA, BlockKind.FIELD):
                first, last = block.start_char - chunk.start_char, block.end_char - chunk.start_char
                yield block, as_prose(chunk.text[first:last])


def document_title(found: Iterable[Naming], path: Path) -> str | None:
    """The value of a title field, or else the first heading where all others are of lower levels.
    A heading with others beside it names a part: the title is the file's name then.
    """
    headings: list[tuple[int, str]] = []
    for block, said in found:
        if block.kind is BlockKind.HEADING:
            headings.append((block.level, said))
            continue
        field = _TITLE_FIELD.fullmatch(said)
        if field is not None and not block.level and field["title"].strip(" :\"'"):
            return field["title"].strip()
    if not headings:
        return None
    level, first_heading = headings[0]
    if all(other > level for other, _ in headings[1:]):
        return first_heading
    called = re.sub("[-_]+", " ", path.stem).strip()
    return None if called.lower() in _UNNAMED else called
