"""An excerpt as a person reads it: its blocks, and of the marks between them what says a thing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from rag.text.line_marks import FENCE, ITEM, RULE, is_row
from rag.text.prose import QUOTE_MARKS, as_prose
from state.blocks import Block, BlockKind, Extent
from state.passages import Span

AS_WRITTEN = (BlockKind.CODE, BlockKind.ROW, BlockKind.METADATA)
"""Kinds whose line breaks and spaces say something."""

INDENTED = 2
"""Columns by which prose is set in below what it belongs to; from four on a line is code."""

_BLANK_LINES = re.compile(r"\n{3,}")

Gap = list[str]
"""The lines between two blocks: the rest of the one's line, those in no block, what stands before
the other on its line; a single one where they share a line."""


def shown_text(span: Span, answering: Extent | None = None) -> str:
    """The excerpt with its prose on one line a block, below what introduces it; code, rows and
    fields as they were written. Of the marks between blocks it has the fences of code, of which
    none stays open, and the rules of tables. The fields that a page begins with are left out where
    the sentence at `answering` is not one of them.
    """
    text, base = span["text"], span["start_char"]
    blocks = span["blocks"]
    if answering is not None:
        blocks = blocks[_front_matter(blocks, text, base, answering) :]
    gaps = _gaps(blocks, text, base)
    shown = ""
    for place, block in enumerate(blocks):
        above, below = gaps[place], gaps[place + 1]
        own = text[block.start_char - base : block.end_char - base]
        if block.kind is BlockKind.CODE:
            own = _fenced(above, own, below)
        else:
            before = _indentation(block, above[-1]) if len(above) > 1 else ""
            own = before + (own if block.kind in AS_WRITTEN else _flowing(block, own, above[-1]))
        shown += (_break(blocks[place - 1], above, block) if place else "") + own
    return _introduced(span["lead"] or "", shown.strip("\n"))


def _front_matter(blocks: Sequence[Block], text: str, base: int, answering: Extent) -> int:
    """How many fields of a page stand before its text, where none of them answers."""
    fields = list(takewhile(lambda block: block.kind is BlockKind.METADATA, blocks))
    if not fields or len(fields) == len(blocks) or answering[0] < fields[-1].end_char:
        return 0
    marks = text[fields[-1].end_char - base : blocks[len(fields)].start_char - base]
    return len(fields) if any(map(RULE.match, marks.split("\n"))) else 0


def _gaps(blocks: Sequence[Block], text: str, base: int) -> list[Gap]:
    """What stands above the first block, between each two, and below the last."""
    places = [place - base for block in blocks for place in block.extent]
    between = [text[end:start] for end, start in zip(places[1::2], places[2::2], strict=False)]
    outer = [f"\n{text[: places[0]]}", *between, f"{text[places[-1] :]}\n"]
    return [gap.split("\n") for gap in outer]


def _fenced(above: Gap, code: str, below: Gap) -> str:
    """Code with its fences; one that the excerpt does not reach is as the other."""
    opening = next((line for line in above[1:-1][-1:] if _mark(line)), "")
    closing = next((line for line in below[1:-1][:1] if _mark(line)), "")
    if not opening and not closing:
        return above[-1] + code + below[0]
    whole = "\n".join([opening or closing, code, closing or _mark(opening)])
    return QUOTE_MARKS.sub("", whole) if ">" in _mark(opening or closing) else whole


def _mark(line: str) -> str:
    """The fence that a line is, without what it says of its code; empty where it is none."""
    marks = QUOTE_MARKS.match(line)
    indented = marks.group() if marks else line[: len(line) - len(line.lstrip())]
    fence = FENCE.match(line[len(indented) :])
    return indented + fence.group(1) if fence else ""


def _indentation(block: Block, above: str) -> str:
    """What stands before it on its line, unless it only sets a quotation or an admonition off."""
    shown = "" if block.kind is BlockKind.NOTE else QUOTE_MARKS.sub("", above)
    if block.kind is BlockKind.PARAGRAPH and block.level:
        return " " * INDENTED
    return shown if shown.isspace() else ""


def _flowing(block: Block, text: str, above: str) -> str:
    """Prose on one line; a term on its own lines above what is said of it."""
    lines = text.split("\n")
    is_term = block.kind is BlockKind.ITEM and not ITEM.match(text)
    terms = _terms(lines, len(above.expandtabs())) if is_term else 0
    if not terms:
        return as_prose(text)
    said = "\n".join(lines[terms:])
    indented = "" if said.startswith(":") else " " * INDENTED
    return "\n".join([*map(as_prose, lines[:terms]), indented + as_prose(said)])


def _terms(lines: Sequence[str], column: int) -> int:
    """How many lines stand above the first that is set further in, or is marked by a colon."""
    for number, line in enumerate(lines):
        own = line.expandtabs()
        if number and (own.startswith(": ") or len(own) - len(own.lstrip()) > column):
            return number
    return 0


def _break(before: Block, gap: Gap, block: Block) -> str:
    kinds = (before.kind, block.kind)
    if len(gap) == 1:
        return gap[0]
    if BlockKind.HEADING in kinds or (before.kind is BlockKind.METADATA is not block.kind):
        return "\n\n"
    ruled = BlockKind.ROW in kinds
    lines = ["" if not line.strip(" \t>") else line for line in gap[1:-1]]
    kept = [line for line in lines if not line or (ruled and RULE.match(line))]
    return _BLANK_LINES.sub("\n\n", "\n".join(["", *kept, ""]))


def _introduced(lead: str, shown: str) -> str:
    """Below what stands further up: a row right below its header, an item below its list's."""
    if not lead.strip():
        return shown
    above = [each if is_row(each) else as_prose(each) for each in lead.strip().split("\n\n")]
    first = shown.split("\n", 1)[0]
    close = all(map(is_row, (above[-1], first))) or all(map(ITEM.match, (above[-1], first)))
    return "\n\n".join(above) + ("\n" if close else "\n\n") + shown
