"""A stream of parts of one document to chunks, exact to the character, in bounded memory.

Nothing is lost and nothing invented: a chunk is a slice of the document's text, and all
chunks together hold every character of it that is not whitespace. Cuts fall, in this order,
before a heading, between paragraphs, list items, table rows or code lines, sentences, words.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from rag.text.boundaries import BLOCK, LONG_LINE, BoundaryScanner, Heading

CHUNK_CHARS = 1200
"""No chunk is longer; a document up to this long stays one chunk (a page, where it has pages)."""

_LEAST = 0.33
_READ_AHEAD = 65536
_SENTENCE = 0.35
_INDENT = 200
_NOT_SPACE = re.compile(r"\S")
_WORD_END = re.compile(r"[,;:\uff0c\u3001\uff1b\uff1a]+\s*|\s+")
_PATH_CHARS = 300


class TextPart(Protocol):
    """A piece of a document's text; the pieces joined are the text. `page` where it has pages."""

    @property
    def text(self) -> str: ...

    @property
    def page(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk without its identity: `text == document_text[start_char:end_char]`.

    Lines are 1-based and inclusive; `heading` is the path of headings above, joined by " > ".
    """

    text: str
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    page: int | None
    heading: str


def chunk_parts(
    parts: Iterable[TextPart], document_format: str, *, limit: int = CHUNK_CHARS
) -> Iterator[Piece]:
    """The chunks of a document in order; how its text is cut into parts makes no difference,
    except that no chunk reaches over a change of page.
    """
    cutter = _Cutter(document_format, limit)
    page: int | None = None
    waiting: list[str] = []
    length = 0
    for part in parts:
        if part.page != page:
            yield from cutter.drain("".join(waiting), page, final=True)
            page, length = part.page, 0
            waiting.clear()
        waiting.append(part.text)
        length += len(part.text)
        if length >= _READ_AHEAD:
            yield from cutter.drain("".join(waiting), page, final=False)
            length = 0
            waiting.clear()
    yield from cutter.drain("".join(waiting), page, final=True)


class _Cutter:
    """`_buffer[_position:]` is the text not yet emitted; offsets in the buffer are relative,
    `_base` is where it begins in the document.
    """

    def __init__(self, document_format: str, limit: int) -> None:
        self._buffer = ""
        self._position = 0
        self._base = 0
        self._line = 1
        self._at_line_start = True
        self._limit = limit
        self._least = int(limit * _LEAST)
        self._scanned = 0
        self._mid_line = False
        self._scanner = BoundaryScanner(document_format)
        self._path: list[Heading] = []

    def drain(self, text: str, page: int | None, *, final: bool) -> Iterator[Piece]:
        """Take in more text; emit every chunk whose end no longer depends on text to come."""
        self._buffer += text
        self._scan(final=final)
        ahead = self._limit + self._least
        while True:
            self._skip_blank()
            if self._position >= self._scanned:
                break
            if not final and self._scanned - self._position <= ahead:
                break
            cut = self._cut(final=final)
            text = self._buffer[self._position : cut].rstrip()
            heading = self._heading_path(cut)
            start, first_line = self._base + self._position, self._line
            last_line = first_line + text.count("\n")
            yield Piece(text, start, start + len(text), first_line, last_line, page, heading)
            self._advance(cut)
        self._compact(final=final)

    def _scan(self, *, final: bool) -> None:
        buffer = self._buffer
        while self._scanned < len(buffer):
            start = self._scanned
            end = buffer.find("\n", start, start + LONG_LINE)
            if end < 0:
                end = min(len(buffer), start + LONG_LINE)
                if not final and end < start + LONG_LINE:
                    return
                line, following, after = buffer[start:end], "", end
            else:
                after = end + 1
                next_end = buffer.find("\n", after, after + LONG_LINE)
                if next_end < 0 and not final and len(buffer) < after + LONG_LINE:
                    return
                line = buffer[start:end]
                following = buffer[after : next_end if next_end >= 0 else after + LONG_LINE]
            if not self._mid_line:
                self._scanner.line(self._base + start, line, following)
            self._mid_line = after == end
            self._scanned = after

    def _skip_blank(self) -> None:
        """To the first line with something on it; its indentation stays, if it is one."""
        found = _NOT_SPACE.search(self._buffer, self._position, self._scanned)
        if found is None:
            self._advance(self._scanned)
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

    def _cut(self, *, final: bool) -> int:
        start, left = self._position, self._scanned - self._position
        if final and left <= self._limit:
            return self._scanned
        reach = self._limit
        if final and left < self._limit + self._least:  # leave no crumb for the last chunk
            reach = max(left - self._least, self._least)
        first, last = start + self._least, start + reach
        offsets = self._scanner.offsets
        low = bisect_left(offsets, self._base + first)
        high = bisect_right(offsets, self._base + last)
        best, cut, worth = -1.0, 0, 0.0
        for offset, each in zip(offsets[low:high], self._scanner.worths[low:high], strict=True):
            score = each + (offset - self._base - start) / self._limit
            if score >= best:
                best, cut, worth = score, offset - self._base, each
        if worth >= BLOCK:
            return cut
        for end in self._sentence_ends(start, first, last):
            score = _SENTENCE + (end - start) / self._limit
            if score >= best:
                best, cut = score, end
        return cut or self._word_end(first, last)

    def _sentence_ends(self, start: int, first: int, last: int) -> list[int]:
        from rag.text.sentences import sentence_spans

        spans = sentence_spans(self._buffer[start : last + self._least])
        return [start + end for _, end in spans if first <= start + end <= last]

    def _word_end(self, first: int, last: int) -> int:
        ends = [match.end() for match in _WORD_END.finditer(self._buffer, first, last)]
        if ends:
            return ends[-1]
        cut = last
        while cut > first and _joins(self._buffer[cut - 1], self._buffer[cut]):
            cut -= 1
        return cut if cut > first else last

    def _heading_path(self, cut: int) -> str:
        """The path at the chunk's first body text; then take in the headings inside it."""
        headings = self._scanner.headings
        body, taken = self._base + self._position, 0
        while taken < len(headings) and headings[taken].start <= body:
            self._enter(headings[taken])
            inside = headings[taken].end - self._base
            found = _NOT_SPACE.search(self._buffer, max(inside, self._position), cut)
            body = self._base + (found.start() if found else cut)
            taken += 1
        path = " > ".join(heading.title for heading in self._path)
        while taken < len(headings) and headings[taken].start < self._base + cut:
            self._enter(headings[taken])
            taken += 1
        del headings[:taken]
        return path if len(path) <= _PATH_CHARS else path[: _PATH_CHARS - 1] + "…"

    def _enter(self, heading: Heading) -> None:
        while self._path and self._path[-1].level >= heading.level:
            self._path.pop()
        self._path.append(heading)

    def _compact(self, *, final: bool) -> None:
        """Forget what was emitted. A page ends its last line, so that no state reaches over."""
        keep = len(self._buffer) if final else self._position
        self._base += keep
        self._buffer = self._buffer[keep:]
        self._scanned = 0 if final else self._scanned - keep
        self._position = 0
        if final:
            self._mid_line = False
            self._scanner.new_page()
        passed = bisect_left(self._scanner.offsets, self._base)
        del self._scanner.offsets[:passed], self._scanner.worths[:passed]


def _joins(before: str, after: str) -> bool:
    """Whether a cut between the two would take a written sign apart."""
    return (
        after in "\u200d\ufe0e\ufe0f"
        or before == "\u200d"
        or bool(unicodedata.combining(after))
        or unicodedata.category(after) in ("Mn", "Mc", "Me", "Sk")
    )
