"""A stretch as a person reads it: prose on one line, code in whole lines, a row below its header,
an item below the line that leads to it, "…" where a paragraph goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from textwrap import dedent, indent
from typing import TYPE_CHECKING

from rag.reading.stretches import Unit
from rag.text.line_marks import ITEM
from rag.text.prose import as_prose
from rag.text.sentences import sentence_spans
from state.blocks import Block, BlockKind
from state.passages import RetrievedChunk, text_between

if TYPE_CHECKING:
    from rag.index.reader import CollectionReader

WIDE = 160
"""Characters of a row with its header that are no longer seen to be one below the other: two lines
of a terminal.
"""
_LINE = 72
"""Characters that short cells share a line up to."""
_LONGEST_CELL = 300
LEAD_CHARACTERS = 160
"""Of the sentence that introduces a stretch from further up."""
_CLOSE = (BlockKind.ROW, BlockKind.ITEM, BlockKind.METADATA)
"""Without a blank line between two; nor between lines that their writer broke."""
_CUT = "…"
_FENCE = 40
"""Characters between code and the line that leads to it, at most."""
_PADDING = re.compile(r"(?<=\S) {2,}(?=\S)")
"""Between the cells of a row."""
_BAR = re.compile(r"(?<!\\)\|")
_LAST_WORD = re.compile(r"\s+\S*$")


def display_text(chunk: RetrievedChunk, units: Sequence[Unit], lead: str, longest: int) -> str:
    """At most about `longest` characters, without what leads to it."""
    blocks = [Block(*chunk["blocks"][unit.place]) for unit in units]
    is_header = blocks[0].kind is BlockKind.ROW and "|" in lead
    if is_header and len(lead) + units[0].end - units[0].start > WIDE:
        lines = (lead, text_between(chunk, units[0].start, units[0].end))
        names, cells = (list(map(as_prose, _cells(line))) for line in lines)
        if len(cells) <= len(names):  # each behind the name of its column
            named = zip(names, cells, strict=False)
            return _filled(f"{name}: " * bool(name) + _cut(cell) for name, cell in named if cell)
    shown = _PADDING.sub(" ", lead.strip()) if is_header else _lead(lead)
    before, end = blocks[0].kind, units[0].start
    place = 0
    levels = [each.level for each in blocks if each.kind is BlockKind.ITEM]
    nested = blocks[0].kind is BlockKind.ITEM and ITEM.match(lead)
    depth = levels[0] - 1 if nested else min(levels, default=0)
    while place < len(units):
        block = blocks[place]
        own = _piece_of(chunk, units[place:])
        set_in = "  " * (block.level - depth) * (block.kind is BlockKind.ITEM)
        breaks = text_between(chunk, end, own[0].start).count("\n")
        close = before is block.kind and (block.kind in _CLOSE or breaks == 1)
        shown += ("\n" if close else "\n\n") * bool(shown)
        shown += set_in + _piece(chunk, block, own, longest)
        before, end = block.kind, own[-1].end
        place += len(own)
    return shown


def _piece_of(chunk: RetrievedChunk, units: Sequence[Unit]) -> Sequence[Unit]:
    """The first ones, of one block, or of code that only blank lines part: set in as it stands."""
    for behind, (one, after) in enumerate(pairwise(units), 1):
        kinds = {chunk["blocks"][each.place].kind for each in (one, after)}
        is_apart = kinds != {BlockKind.CODE} or text_between(chunk, one.end, after.start).strip()
        if one.place != after.place and is_apart:
            return units[:behind]
    return units


def _piece(chunk: RetrievedChunk, block: Block, units: Sequence[Unit], longest: int) -> str:
    """What of one block the stretch has."""
    text = text_between(chunk, units[0].start, units[-1].end)
    if block.kind is BlockKind.CODE:
        lines = text.split("\n")
        while len(lines) > 1 and len("\n".join(lines)) > longest:
            lines.pop()
        goes_on = block.lead is not None and block.start_char - block.lead[1] > _FENCE
        cut = units[0].start > block.start_char or goes_on
        return indent("\n".join([*[_CUT] * cut, dedent("\n".join(lines))]), "    ")
    if block.kind is BlockKind.METADATA or (block.kind is BlockKind.ROW and "\t" in text):
        return text
    if block.kind is BlockKind.ROW:
        return as_prose(text)
    before = f"{_CUT} " if units[0].start > block.start_char else ""
    after = f" {_CUT}" if units[-1].end < block.end_char else ""
    said = as_prose(text)
    if len(said) > longest:
        said, after = _LAST_WORD.sub("", said[:longest]), f" {_CUT}"
    return before + said + after


def _cells(row: str) -> list[str]:
    """Of a row that is closed by a bar the first may be empty."""
    row = row.strip()
    return _BAR.split(row.removeprefix("|")[:-1] if row.endswith("|") else row.strip(" |"))


def _cut(cell: str) -> str:
    short = cell[:_LONGEST_CELL]
    return cell if cell == short else f"{_LAST_WORD.sub('', short)} {_CUT}"


def _filled(cells: Iterable[str]) -> str:
    """A long one has its line, short ones share it."""
    lines = [""]
    for cell in cells:
        if lines[-1] and len(lines[-1]) + len(cell) <= _LINE:
            lines[-1] += f" | {cell}"
        else:
            lines.append(cell)
    return "\n".join(lines[1:])


def _lead(lead: str) -> str:
    said = as_prose(lead)
    last = said[max((start for start, _ in sentence_spans(said)), default=0) :]
    if len(last) > LEAD_CHARACTERS:
        last = last[-LEAD_CHARACTERS:].split(" ", 1)[-1]
    return last if last == said else f"{_CUT} {last}"


def lead_of(chunk: RetrievedChunk, first: Unit, reader: CollectionReader) -> str:
    """The line that leads to a list or code, or the header of a row, where it stands above."""
    block = chunk["blocks"][first.place]
    if block.lead is None or block.lead[1] > first.start:
        return ""
    if block.kind not in (BlockKind.ROW, BlockKind.ITEM, BlockKind.CODE):
        return ""
    if block.lead[0] >= chunk["start_char"]:
        return _named(text_between(chunk, *block.lead))
    if block.kind is BlockKind.ROW and first.start == chunk["start_char"]:
        before = reader.document_text(chunk["source"], max(first.start - 20, 0), first.start) or ""
        if before.rpartition("\n")[2].strip(" \t>"):  # it began in the chunk before
            return ""
    return _named(reader.document_text(chunk["source"], *block.lead) or "")


def _named(lead: str) -> str:
    """A header of no names leads to nothing."""
    return lead if lead.strip("| \t") else ""
