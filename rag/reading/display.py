"""Renders a stretch as a person reads it: prose on one line, code in whole lines, a row below its
header, an item below its lead-in line, "…" where what is shown goes on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from textwrap import dedent, indent
from typing import TYPE_CHECKING

from rag.reading.stretches import Unit
from rag.reading.whole import extent_text
from rag.text.line_marks import ITEM
from rag.text.prose import as_prose
from rag.text.sentences import sentence_spans
from state.blocks import Block, BlockKind
from state.passages import RetrievedChunk, text_between

if TYPE_CHECKING:
    from rag.index.reader import CollectionReader

WIDE = 160
"""A row that is longer together with its header, in characters, no longer lines up with it in two
lines of a terminal; each cell is then shown behind its column's name.
"""
_LONGEST_CELL = 300
LEAD_CHARACTERS = 160
"""The most characters shown of a lead-in sentence that stands further up."""
_CLOSE = (BlockKind.ROW, BlockKind.ITEM, BlockKind.METADATA, BlockKind.FIELD)
"""Two blocks of one of these kinds are shown without a blank line between them."""
_CUT = "…"
_PADDING = re.compile(r"(?<=\S) {2,}(?=\S)")
"""What aligns the cells of a row."""
_GAP = re.compile(r" {3,}(?=\S)")
_BAR = re.compile(r"(?<!\\)\|")
_LAST_WORD = re.compile(r"\s+\S*$")


def display_text(
    chunk: RetrievedChunk,
    units: Sequence[Unit],
    lead: str,
    longest: int,
    goes_on: tuple[bool, bool] = (False, False),
) -> str:
    """The units as a person reads them: about `longest` characters at most, and the lead-in. Where
    the list, table, record or block that they stand in `goes_on`, before or behind, stands "…".
    """
    blocks = [Block(*chunk["blocks"][unit.place]) for unit in units]
    is_header = blocks[0].kind is BlockKind.ROW and "|" in lead
    if is_header and len(lead) + max(unit.end - unit.start for unit in units) > WIDE:
        rows = [cells(text_between(chunk, unit.start, unit.end)) for unit in units]
        names = list(map(as_prose, cells(lead)))
        if all(len(row) <= len(names) for row in rows):
            lines = (named_cells(names, [_cut(as_prose(cell)) for cell in row]) for row in rows)
            return "\n\n".join(map("\n".join, lines))
    shown = _PADDING.sub(" ", lead.strip()) if is_header else _lead(lead)
    before, end = blocks[0].kind, units[0].start
    place = 0
    levels = [each.level for each in blocks if each.kind is BlockKind.ITEM]
    nested = blocks[0].kind is BlockKind.ITEM and ITEM.match(lead)
    above = [levels[0] - 1] if nested else []
    depth = min([*above, *levels], default=0)
    shown = "".join("  " * (level - depth) for level in above) + shown
    in_code = [each.kind is BlockKind.CODE and not levels for each in blocks]
    if goes_on[0] and not in_code[0]:
        shown += "\n" * bool(shown) + _indent(blocks[0], depth) + _CUT
    while place < len(units):
        block = blocks[place]
        own = _same_block(chunk, units[place:])
        breaks = text_between(chunk, end, own[0].start).count("\n")
        close = before is block.kind and (block.kind in _CLOSE or breaks == 1)
        shown += ("\n" if close else "\n\n") * bool(shown)
        last = place + len(own) == len(units)
        cut = goes_on[0] and in_code[0] and not place, goes_on[1] and in_code[-1] and last
        shown += _indent(block, depth) + _piece(chunk, block, own, longest, cut)
        before, end = block.kind, own[-1].end
        place += len(own)
    if goes_on[1] and not in_code[-1] and not shown.endswith(_CUT):
        shown += "\n" * (1 if before in _CLOSE else 2) + _indent(blocks[-1], depth) + _CUT
    return shown


def _indent(block: Block, depth: int) -> str:
    return "  " * (block.level - depth) * (block.kind is BlockKind.ITEM)


def _same_block(chunk: RetrievedChunk, units: Sequence[Unit]) -> Sequence[Unit]:
    """The first units, as far as they are of one block or of code that only blank lines part."""
    for behind, (one, after) in enumerate(pairwise(units), 1):
        kinds = {chunk["blocks"][each.place].kind for each in (one, after)}
        is_apart = kinds != {BlockKind.CODE} or text_between(chunk, one.end, after.start).strip()
        if one.place != after.place and is_apart:
            return units[:behind]
    return units


def _piece(
    chunk: RetrievedChunk,
    block: Block,
    units: Sequence[Unit],
    longest: int,
    goes_on: tuple[bool, bool],
) -> str:
    """The units of one block as they are shown; the block itself may be cut, and go on."""
    text = text_between(chunk, units[0].start, units[-1].end)
    begins_before = goes_on[0] or units[0].start > block.start_char
    ends_behind = goes_on[1] or units[-1].end < Block(*chunk["blocks"][units[-1].place]).end_char
    if block.kind is BlockKind.CODE:
        lines = text.split("\n")
        while len(lines) > 1 and len("\n".join(lines)) > longest:
            lines.pop()
            ends_behind = True
        shown = [*[_CUT] * begins_before, dedent("\n".join(lines)), *[_CUT] * ends_behind]
        return indent("\n".join(shown), "    ")
    fields = (BlockKind.METADATA, BlockKind.FIELD)
    if block.kind in fields or (block.kind is BlockKind.ROW and "\t" in text):
        return text
    if block.kind is BlockKind.ROW:
        return as_prose(text)
    lines = text_between(chunk, chunk["start_char"], units[-1].end).split("\n")
    lines = lines[-1 - text.count("\n") :]
    is_table = block.kind is BlockKind.PARAGRAPH and units[0].start == block.start_char
    if is_table and all(len(_GAP.findall(line)) > 1 for line in lines):
        return "\n".join(lines)[:longest]  # columns that no bars part stay below each other
    before = f"{_CUT} " if begins_before else ""
    after = f" {_CUT}" if ends_behind else ""
    said = as_prose(text)
    if len(said) > longest:
        said, after = _LAST_WORD.sub("", said[:longest]), f" {_CUT}"
    return before + said + after


def cells(row: str) -> list[str]:
    """The cells of a row. Only where the row ends in a bar may the first one be empty."""
    row = row.strip()
    bare = row.removeprefix("|")[:-1] if row.endswith("|") else row.strip(" |")
    return [*map(str.strip, _BAR.split(bare))]


def named_cells(names: Sequence[str], row: Sequence[str]) -> list[str]:
    """The cells of a row that hold something, each behind the name of its column."""
    named = zip_longest(names, row, fillvalue="")
    return [f"{name}: " * bool(name) + cell for name, cell in named if cell]


def _cut(cell: str) -> str:
    short = cell[:_LONGEST_CELL]
    return cell if cell == short else f"{_LAST_WORD.sub('', short)} {_CUT}"


def _lead(lead: str) -> str:
    said = as_prose(lead)
    last = said[max((start for start, _ in sentence_spans(said)), default=0) :]
    if len(last) > LEAD_CHARACTERS:
        last = last[-LEAD_CHARACTERS:].split(" ", 1)[-1]
    return last if last == said else f"{_CUT} {last}"


def lead_of(chunk: RetrievedChunk, first: Unit, reader: CollectionReader) -> str:
    """The lead-in line of a list or of code, or a row's header, where it stands above `first`;
    nothing for a header without names.
    """
    kind, _, _, _, lead = chunk["blocks"][first.place]
    led = (BlockKind.ROW, BlockKind.ITEM, BlockKind.CODE)
    if lead is None or lead[1] > first.start or kind not in led:
        return ""
    if kind == BlockKind.ROW and first.start == chunk["start_char"]:
        before = extent_text(chunk, max(first.start - 20, 0), first.start, reader)
        if before.rpartition("\n")[2].strip(" \t>"):  # it began in the chunk before
            return ""
    said = extent_text(chunk, *lead, reader)
    return said if said.strip("| \t") else ""
