"""The headings that a chunk stands under, and the one that names a document of Markdown. Where a
chunk goes on with a table, the table's header comes last, between bars
(`state.documents.without_header` takes it off).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from rag.text.prose import as_prose
from state.blocks import Block, BlockKind, Extent
from state.documents import Chunk

_PATH_CHARS = 300
_TITLE_CHARS = 120
_UNNAMED = frozenset({"", "readme", "index", "contents"})
"""File names that many files have: no titles."""
_TITLE_FIELD = re.compile(
    r"title(?::| ?=)[ :]*(?:[>|][+-]? )?(?P<quote>[\"']?)(?P<title>.*)(?P=quote)", re.IGNORECASE
)

Naming = tuple[Block, str]
"""A heading or a field, and its text."""


class HeadingPath:
    """The headings above, outermost first, while the chunks of a document go by. `first` is the one
    that the last chunk begins with or else stands under.
    """

    def __init__(self) -> None:
        self.first = ""
        self._path: list[tuple[int, str]] = []
        self._header: Extent | None = None
        self._table = ""

    def above(self, blocks: Sequence[Block], text: str) -> str:
        """The path at the first body text of the next chunk, whose blocks of `text` these are; then
        its own headings are taken in.
        """
        starts = blocks[0] if blocks else None
        goes_on = starts is not None and starts.lead is not None and starts.lead == self._header
        path = self._joined(self._table) if goes_on else None
        self.first = self._path[-1][1] if self._path else ""
        for before, block in pairwise([None, *blocks]):
            assert block is not None
            if block.kind is BlockKind.ROW and before is not None and before.extent == block.lead:
                said = _said(text, before.extent)
                self._header, self._table = block.lead, f"| {said.strip('| ')} |"
            if block.kind is not BlockKind.HEADING:
                path = self._joined() if path is None else path
                continue
            while self._path and self._path[-1][0] >= block.level:
                self._path.pop()
            self._path.append((block.level, _said(text, block.extent)))
            if path is None:
                self.first = self._path[-1][1]
        return self._joined() if path is None else path

    def _joined(self, *table: str) -> str:
        return _shortened(" > ".join([*(title for _, title in self._path), *table]), _PATH_CHARS)


def _said(text: str, extent: Extent) -> str:
    return _shortened(as_prose(text[slice(*extent)]), _TITLE_CHARS)


def _shortened(text: str, most: int) -> str:
    """With a sign where it is cut, so that what is shown of it is no heading that stands there."""
    return text if len(text) <= most else text[: most - 1] + "…"


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
