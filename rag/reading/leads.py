"""What stands above a stretch and leads to it: a list's line, a table's header."""

from __future__ import annotations

from rag.index.reader import CollectionReader
from rag.reading.shown import names_of_the_last
from rag.reading.stretches import Unit
from state.blocks import BlockKind
from state.passages import RetrievedChunk, text_between

_BEFORE = 150
"""Characters in front of a row, among which its line begins if it begins in another chunk."""


def lead_of(chunk: RetrievedChunk, first: Unit, reader: CollectionReader) -> str:
    """The line that leads to a list or code, or the header of a row, where it stands above."""
    block = chunk["blocks"][first.place]
    if block.lead is None or block.lead[1] > first.start:
        return ""
    if block.kind not in (BlockKind.ROW, BlockKind.ITEM, BlockKind.CODE):
        return ""
    if block.lead[0] >= chunk["start_char"]:
        return _named(text_between(chunk, *block.lead))
    lead = _named(reader.document_text(chunk["source"], *block.lead) or "")
    if block.kind is BlockKind.ROW and first.start == chunk["start_char"]:
        line = (max(first.start - _BEFORE, 0), first.start)
        before = reader.document_text(chunk["source"], *line) or ""
        if before.rpartition("\n")[2].strip(" \t>"):  # it began in the chunk before
            return names_of_the_last(lead, text_between(chunk, *first[:2]))
    return lead


def _named(lead: str) -> str:
    """A header of no names leads to nothing."""
    return lead if lead.strip("| \t") else ""
