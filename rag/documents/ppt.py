"""PowerPoint 97 to 2003 (PPT): the text atoms of its slides; a slide is a page.

After [MS-PPT], 2.4.14 (the slide list) and 2.9 (text). Stale slides of a fast save may
come along.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import zip_longest

from rag.documents.ole import open_compound
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_SLIDE, _NOTES, _MASTER, _SLIDE_LIST, _SLIDE_START = 0x03EE, 0x03F0, 0x03F8, 0x0FF0, 0x03F3
_CHARS, _BYTES, _HEADER = 0x0FA0, 0x0FA8, 0x0F9F
_TITLES = {0, 6}
_LOCKED = b"\xdf\xc4\xd1\xf3"
_DEPTH = 50


def read(reading: Reading) -> Iterator[Part]:
    """One piece a slide: its outline first, then its other shapes."""
    with open_compound(reading.path, reading.limits) as streams:
        if "Current User" in streams and streams.read("Current User")[12:16] == _LOCKED:
            raise DocumentError("encrypted PowerPoint file: needs a password")
        found = _Slides(streams.read("PowerPoint Document"), reading)
    slides = zip_longest(found.outlines, found.shapes, fillvalue=())
    for number, (outline, shapes) in enumerate(slides, 1):
        lines = [line for line in (*outline, *shapes) if line.strip()]
        if lines:
            if reading.title is None:
                reading.title = lines[0].removeprefix("# ")
            yield Part("\n\n".join(lines) + "\n\n", number)


class _Slides:
    """What the records of the document stream say, by slide."""

    def __init__(self, data: bytes, reading: Reading) -> None:
        self._data = data
        self._reading = reading
        self.outlines: list[list[str]] = []
        self.shapes: list[list[str]] = []
        self._title = False
        self._walk(0, len(data), None, 0)

    def _walk(self, start: int, end: int, into: list[list[str]] | None, depth: int) -> None:
        if depth > _DEPTH:
            raise DocumentError("nested too deeply")
        while start + 8 <= end:
            head, kind, length = struct.unpack_from("<HHI", self._data, start)
            start += 8
            stop = min(start + length, end)
            if head & 0xF != 0xF:
                if into is not None:
                    self._atom(kind, self._data[start:stop], into)
            elif kind not in {_NOTES, _MASTER} and (kind != _SLIDE_LIST or head >> 4 == 0):
                self._reading.deadline.check()
                self._walk(start, stop, self._within(kind, into), depth + 1)
            start = stop

    def _within(self, kind: int, into: list[list[str]] | None) -> list[list[str]] | None:
        """Where the text of a container of this kind goes."""
        if kind == _SLIDE:
            self.shapes.append([])
            return self.shapes
        return self.outlines if kind == _SLIDE_LIST else into

    def _atom(self, kind: int, data: bytes, into: list[list[str]]) -> None:
        if kind == _SLIDE_START and into is self.outlines:
            into.append([])
        elif kind == _HEADER and len(data) >= 4:
            self._title = struct.unpack_from("<I", data)[0] in _TITLES
        elif kind in {_CHARS, _BYTES} and into:
            text = data.decode("utf-16-le" if kind == _CHARS else "latin-1", "replace")
            text = text.replace("\r", "\n").replace("\x0b", "\n")
            into[-1].append(f"# {' '.join(text.split())}" if self._title and text.strip() else text)
            self._title = False
