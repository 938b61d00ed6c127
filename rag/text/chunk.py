"""A stream of parts of one document to chunks, exact to the character, in bounded memory.

Nothing is lost and nothing invented: a chunk is a slice of the document's text, and all
chunks together hold every character of it that is not whitespace. Cuts fall, in this order,
before a heading, between paragraphs, list items, table rows or code lines, sentences, words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rag.text.block_parser import BlockParser
from rag.text.blocks import clipped
from rag.text.cut_worth import CUT_BY_LINE, LINE, NEXT_LINE, SENTENCE, worth_between
from rag.text.heading_path import HeadingPath
from rag.text.sentences import block_sentences
from state.blocks import Block, BlockKind, Placed
from state.documents import Chunk

if TYPE_CHECKING:
    from rag.documents.stream import Part

CHUNK_CHARS = 1200
"""No chunk is longer; a document up to this long stays one chunk (a page, where it has pages)."""

_LEAST = 0.33
_INDENT = 200

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_NOT_SPACE = re.compile(r"\S")
_WORD_END = re.compile(r"[,;:\uff0c\u3001\uff1b\uff1a]+\s*|\s+")


def chunk_parts(
    parts: Iterable[Part], document_format: str, *, limit: int = CHUNK_CHARS
) -> Iterator[Chunk]:
    """The chunks of a document in order; how its text is cut into parts makes no difference,
    except that no chunk reaches over a change of page or anchor.
    """
    cutter = _Cutter(document_format, limit)
    for part in parts:
        if (part.page, part.anchor) != (cutter.page, cutter.anchor):
            yield from cutter.drain("", final=True)
            cutter.page, cutter.anchor = part.page, part.anchor
        yield from cutter.drain(part.text, final=False)
    yield from cutter.drain("", final=True)


class _Cutter:
    """`_buffer[_position:]` is the text not yet emitted; offsets in the buffer are relative,
    `_base` is where it begins in the document. `_settled` is how far its blocks are known.
    `page` and `anchor` are of the text that is taken in.
    """

    def __init__(self, document_format: str, limit: int) -> None:
        self.page: int | None = None
        self.anchor: str | None = None
        self._paragraphs = 0
        self._buffer = ""
        self._position = 0
        self._base = 0
        self._line = 1
        self._at_line_start = True
        self._limit = limit
        self._least = int(limit * _LEAST)
        self._scanned = 0
        self._settled = 0
        self._parser = BlockParser(document_format)
        self._placed: deque[Placed] = self._parser.found  # that end after `_position`
        self._headings = HeadingPath()

    def drain(self, text: str, *, final: bool) -> Iterator[Chunk]:
        """Take in more text; emit every chunk whose end no longer depends on text to come."""
        self._buffer += text
        self._find_blocks(final=final)
        ahead = self._limit + self._least
        while True:
            self._skip_blank()
            if self._position >= self._settled:
                break
            if not final and self._settled - self._position <= ahead:
                break
            cut = self._cut(final=final)
            text = self._buffer[self._position : cut].rstrip()
            start, first_line = self._base + self._position, self._line
            last_line = first_line + text.count("\n")
            blocks = clipped(self._between(self._position, cut), text, start)
            heading = self._headings.above(blocks, self._buffer, self._base)
            yield Chunk(
                *("", "", None), self.page, first_line, last_line, start, start + len(text), text,
                heading, blocks, self._place(blocks),
            )  # fmt: skip
            self._advance(cut)
        self._compact(final=final)

    def _place(self, blocks: Sequence[Block]) -> str | None:
        """Of the next chunk, where a part is converted and has no name of its own: the heading that
        it begins with or stands under, or else how many paragraphs or rows there are up to it.
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

    def _find_blocks(self, *, final: bool) -> None:
        self._scanned = self._parser.feed(self._buffer, self._base, self._scanned, final=final)
        if final:
            self._parser.end(self._base + len(self._buffer))
        self._settled = min(self._parser.settled - self._base, self._scanned)

    def _skip_blank(self) -> None:
        """To the first line with something on it; its indentation stays, if it is one."""
        found = _NOT_SPACE.search(self._buffer, self._position, self._settled)
        if found is None:
            self._advance(self._settled)
            return
        first = found.start()
        self._advance(max(self._buffer.rfind("\n", self._position, first) + 1, self._position))
        if not self._at_line_start or first - self._position > _INDENT:
            self._advance(first)

    def _advance(self, to: int) -> None:
        if to > self._position:
            self._line += self._buffer.count("\n", self._position, to)
            self._at_line_start = self._buffer[to - 1] == "\n"
            self._position = to
            while self._placed and self._placed[0].block.end_char <= self._base + to:
                self._placed.popleft()

    def _between(self, start: int, end: int) -> list[Block]:
        """The blocks that lie at least in part between two offsets of the buffer."""
        start, end = start + self._base, end + self._base
        found = []
        for _, block in self._placed:
            if block.start_char >= end:
                break
            if block.end_char > start:
                found.append(block)
        return found

    def _cut(self, *, final: bool) -> int:
        start, left = self._position, self._settled - self._position
        if final and left <= self._limit:
            return self._settled
        reach = self._limit
        if final and left < self._limit + self._least:  # leave no crumb for the last chunk
            reach = max(left - self._least, self._least)
        first, last = start + self._least, start + reach
        return (
            self._best(self._before_blocks(first, last))
            or self._best(self._inside_blocks(first, last))
            or self._word_end(first, last)
        )

    def _best(self, cuts: Iterable[tuple[int, float]]) -> int | None:
        """The one of (offset in the buffer, worth) that is worth most with what it fills."""
        best, found = 0.0, None
        for cut, worth in cuts:
            score = worth + (cut - self._position) / self._limit
            if score >= best:
                best, found = score, cut
        return found

    def _before_blocks(self, first: int, last: int) -> Iterator[tuple[int, float]]:
        before: Block | None = None
        for at, block in self._placed:
            cut = at - self._base
            if cut > last:
                return
            # A line too long for one block goes on in the next.
            if cut >= first and self._buffer[cut - 1] == "\n":
                end = before.end_char - self._base if before else cut
                blank = _BLANK_LINE.search(self._buffer, max(end - 1, 0), cut) is not None
                worth = worth_between(before, block, blank=blank)
                if worth > 0:
                    yield cut, worth
            before = block

    def _inside_blocks(self, first: int, last: int) -> Iterator[tuple[int, float]]:
        """Ends of sentences and of lines in what is too long to be kept whole."""
        position = first
        for block in self._between(first, last):
            start, end = block.start_char - self._base, block.end_char - self._base
            yield from self._line_starts(position, min(start, last), LINE)
            if block.kind in CUT_BY_LINE:
                yield from self._line_starts(max(start + 1, first), min(end, last), NEXT_LINE)
            else:
                yield from self._sentence_ends(block, first, last)
                yield from self._line_starts(max(start + 1, first), min(end, last), LINE)
            position = end
        yield from self._line_starts(position, last, LINE)

    def _line_starts(self, first: int, last: int, worth: float) -> Iterator[tuple[int, float]]:
        found = self._buffer.find("\n", max(first - 1, 0), last)
        while found >= 0:
            yield found + 1, worth
            found = self._buffer.find("\n", found + 1, last - 1)

    def _sentence_ends(self, block: Block, first: int, last: int) -> Iterator[tuple[int, float]]:
        seen = self._buffer[self._position : last + self._least]
        for each in clipped([block], seen, self._base + self._position):
            for _, end in block_sentences(self._buffer, each, self._base):
                if first <= end - self._base <= last and end < block.end_char:
                    yield end - self._base, SENTENCE

    def _word_end(self, first: int, last: int) -> int:
        ends = [match.end() for match in _WORD_END.finditer(self._buffer, first, last)]
        if ends:
            return ends[-1]
        cut = last
        while cut > first and _joins(self._buffer[cut - 1], self._buffer[cut]):
            cut -= 1
        return cut if cut > first else last

    def _compact(self, *, final: bool) -> None:
        """Forget what was emitted. A page ends its last line, so that no state reaches over."""
        keep = len(self._buffer) if final else self._position
        self._base += keep
        self._buffer = self._buffer[keep:]
        self._scanned = 0 if final else self._scanned - keep
        self._settled = max(self._settled - keep, 0)
        self._position = 0


def _joins(before: str, after: str) -> bool:
    """Whether a cut between the two would take a written sign apart."""
    return (
        after in "\u200d\ufe0e\ufe0f"
        or before == "\u200d"
        or unicodedata.category(after) in ("Mn", "Mc", "Me", "Sk")
    )
