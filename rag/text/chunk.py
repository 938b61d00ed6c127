"""Cuts a stream of parts of one document into chunks with exact offsets, a stretch at a time.

Nothing is lost and nothing invented: a chunk is a slice of the document's text, and all
chunks together hold every character of it that is not whitespace. Cuts fall, in this order,
before a heading, between paragraphs, list items, table rows or code lines, sentences, words.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile
from typing import TYPE_CHECKING

from rag.text.blocks import each_block
from rag.text.headings import HeadingPath
from rag.text.line_marks import FENCE
from rag.text.sentences import block_sentences
from rag.text.wrapping import stripped
from state.blocks import Block, BlockKind
from state.documents import Chunk

if TYPE_CHECKING:
    from rag.documents.stream import Part

CHUNK_CHARS = 1200
"""No chunk is longer; a document up to this long stays one chunk (a page, where it has pages)."""

_STRETCH = 1 << 25
"""So many characters of a page are held and cut together; no block reaches over their end."""
_LEAST = 0.33
_INDENT = 200

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_LINE_END = re.compile("\n")
_NOT_SPACE = re.compile(r"\S")
_WORD_END = re.compile(r"[,;:\uff0c\u3001\uff1b\uff1a]+\s*|\s+")

# How much a cut is worth before what it fills is added (0 to 1): a heading is worth more than a
# chunk filled to the brim, and a line inside prose less than a sentence.
_HEADING = 1.7
_PARAGRAPH = 0.8
_ITEM = 0.65
_WITHIN_ITEM = 0.55
_ROW = 0.45
_NEXT_LINE = 0.4
_SENTENCE = 0.35
_LINE = 0.2
_CUT_BY_LINE = frozenset({BlockKind.CODE, BlockKind.ROW, BlockKind.METADATA, BlockKind.FIELD})
"""Kinds that may be cut after any of their lines, where they must be."""


def chunk_parts(
    parts: Iterable[Part], document_format: str, *, limit: int = CHUNK_CHARS
) -> Iterator[Chunk]:
    """The chunks of a document in order; how its text is cut into parts makes no difference,
    except that no chunk reaches over a change of page or anchor.
    """
    cutter = _Cutter(document_format, limit)
    for place, parts_there in groupby(parts, lambda part: (part.page, part.anchor)):
        cutter.page, cutter.anchor = place
        for stretch in _stretches("".join(part.text for part in parts_there)):
            yield from cutter.chunks(stretch)


def _stretches(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > _STRETCH:
        ends = (text.rfind(end, start, start + _STRETCH) + len(end) for end in ("\n\n", "\n", " "))
        stop = next((end for end in ends if end > start + _STRETCH // 2), start + _STRETCH)
        yield text[start:stop]
        start = stop
    yield text[start:]


class _Cutter:
    """`_text` is the stretch at hand, of which `_text[_position:]` is not cut yet; it begins at
    offset `_base` of the document, on this `page` or at this `anchor`.
    """

    def __init__(self, document_format: str, limit: int) -> None:
        self.page: int | None = None
        self.anchor: str | None = None
        self._paragraphs = 0
        self._text = ""
        self._position = 0
        self._base = 0
        self._line = 1
        self._limit = limit
        self._least = int(limit * _LEAST)
        self._format = document_format
        self._found: Iterator[Block] = iter(())
        self._blocks: deque[Block] = deque()  # the next, that end after `_position`
        self._headings = HeadingPath()

    def chunks(self, text: str) -> Iterator[Chunk]:
        """The chunks of the next stretch."""
        is_document = self._format == "markdown" and not self._base
        self._found = each_block(text, self._format, with_front_matter=is_document)
        self._blocks.clear()
        self._text, self._position = text, 0
        while self._skip_blank():
            self._look_ahead()
            cut = self._cut()
            shown = text[self._position : cut].rstrip()
            start, first_line = self._base + self._position, self._line
            last_line = first_line + shown.count("\n")
            found = _clipped(self._between(self._position, cut), shown, self._position)
            heading = self._headings.above(found, text)
            blocks = tuple(block.moved(self._base) for block in found)
            yield Chunk(
                self.page, first_line, last_line, start, start + len(shown), shown,
                heading, blocks, self._place(blocks),
            )  # fmt: skip
            self._advance(cut)
        self._base += len(text)

    def _place(self, blocks: Sequence[Block]) -> str | None:
        """The anchor of the next chunk. Where a converted part has an empty one, it is the heading
        that the chunk begins with or stands under, or else its first paragraph's or row's number.
        """
        first = self._paragraphs + 1
        self._paragraphs += sum(block.kind is not BlockKind.HEADING for block in blocks)
        if self.anchor != "":
            return self.anchor
        section = self._headings.first
        if section:
            return f"section {section}"
        is_row = bool(blocks) and blocks[0].kind is BlockKind.ROW
        return f"{'row' if is_row else 'paragraph'} {first}"

    def _skip_blank(self) -> bool:
        """Goes to the next line that is not blank, before its indentation; whether there is one."""
        found = _NOT_SPACE.search(self._text, self._position)
        if found is None:
            self._advance(len(self._text))
            return False
        first = found.start()
        self._advance(max(self._text.rfind("\n", self._position, first) + 1, self._position))
        is_line_start = not self._position or self._text[self._position - 1] == "\n"
        if not is_line_start or first - self._position > _INDENT:
            self._advance(first)
        return True

    def _advance(self, to: int) -> None:
        self._line += self._text.count("\n", self._position, to)
        self._position = to
        while self._blocks and self._blocks[0].end_char <= to:
            self._blocks.popleft()

    def _look_ahead(self) -> None:
        """Takes up the blocks that begin before the longest chunk from here ends, and one more."""
        reach = self._position + self._limit
        while not self._blocks or self._blocks[-1].start_char <= reach:
            block = next(self._found, None)
            if block is None:
                return
            if block.end_char > self._position:
                self._blocks.append(block)

    def _between(self, start: int, end: int) -> list[Block]:
        """The blocks that lie at least in part between two offsets of the buffer."""
        near = takewhile(lambda each: each.start_char < end, self._blocks)
        return [block for block in near if block.end_char > start]

    def _cut(self) -> int:
        start, left = self._position, len(self._text) - self._position
        if left <= self._limit:
            return len(self._text)
        reach = self._limit
        if left < self._limit + self._least:  # leave no crumb for the last chunk
            reach = max(left - self._least, self._least)
        first, last = start + self._least, start + reach
        return (
            self._best(self._before_blocks(first, last))
            or self._best(self._inside_blocks(first, last))
            or self._word_end(first, last)
        )

    def _best(self, cuts: Iterable[tuple[int, float]]) -> int | None:
        """The best of the cuts (offset in the buffer, worth), with how far it fills the chunk."""
        best, found = 0.0, None
        for cut, worth in cuts:
            score = worth + (cut - self._position) / self._limit
            if score >= best:
                best, found = score, cut
        return found

    def _before_blocks(self, first: int, last: int) -> Iterator[tuple[int, float]]:
        before: Block | None = None
        for block in self._blocks:
            cut = self._line_of(block)
            if cut > last:
                return
            # A line too long for one block goes on in the next.
            if cut >= first and self._text[cut - 1] == "\n":
                end = before.end_char if before else cut
                blank = _BLANK_LINE.search(self._text, max(end - 1, 0), cut) is not None
                blank |= self._format == "code"  # the level of a block says what begins with it
                worth = _worth_between(before, block, blank=blank)
                if worth > 0:
                    yield cut, worth
            before = block

    def _line_of(self, block: Block) -> int:
        """Where the first line of the block begins, or the fence above it."""
        line = self._text.rfind("\n", 0, block.start_char) + 1
        above = self._text.rfind("\n", 0, max(line - 1, 0)) + 1
        is_fenced = block.kind is BlockKind.CODE and FENCE.match(self._text, above, line)
        return above if is_fenced else line

    def _inside_blocks(self, first: int, last: int) -> Iterator[tuple[int, float]]:
        """Ends of sentences and of lines in what is too long to be kept whole."""
        for block in self._between(first, last):
            if block.kind in _CUT_BY_LINE:
                start, end = max(block.start_char + 1, first), min(block.end_char, last)
                yield from self._line_starts(start, end, _NEXT_LINE)
            else:
                yield from self._sentence_ends(block, first, last)
        yield from self._line_starts(first, last, _LINE)

    def _line_starts(self, first: int, last: int, worth: float) -> Iterator[tuple[int, float]]:
        for found in _LINE_END.finditer(self._text, max(first - 1, 0), last):
            yield found.end(), worth

    def _sentence_ends(self, block: Block, first: int, last: int) -> Iterator[tuple[int, float]]:
        seen = self._text[self._position : last + self._least]
        for each in _clipped([block], seen, self._position):
            for _, end in block_sentences(self._text, each):
                if first <= end <= last and end < block.end_char:
                    yield end, _SENTENCE

    def _word_end(self, first: int, last: int) -> int:
        ends = [match.end() for match in _WORD_END.finditer(self._text, first, last)]
        return ends[-1] if ends else last


def _clipped(blocks: Iterable[Block], text: str, start: int) -> list[Block]:
    """The blocks cut to what lies in `text`, which begins at `start` of the buffer."""
    inside: list[Block] = []
    end = start + len(text)
    for block in blocks:
        first, last = max(block.start_char, start), min(block.end_char, end)
        if first < last and (first, last) != block.extent:
            inside_text = stripped(text, first - start, last - start, block.kind)
            first, last = (each + start for each in inside_text)
        if first < last:
            inside.append(block._replace(start_char=first, end_char=last))
    return inside


def _worth_between(before: Block | None, block: Block, *, blank: bool) -> float:
    """The worth of a cut between two blocks; negative where they belong together."""
    if before is not None and (before.kind is BlockKind.HEADING or block.lead == before.extent):
        return -1.0
    if block.kind is BlockKind.HEADING:
        return _HEADING - 0.1 * (block.level - 1)
    if before is not None and before.kind is block.kind and block.kind in _CUT_BY_LINE:
        return _PARAGRAPH if blank and not block.level else _ROW
    if block.kind is BlockKind.ITEM and before is not None and before.level:
        return _ITEM if block.level == 1 else _ROW
    if block.level:
        return _WITHIN_ITEM
    return _PARAGRAPH if blank else _NEXT_LINE
