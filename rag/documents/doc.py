"""Word 97 to 2003 (DOC): the text of the main document and its notes, by the piece table.

After [MS-DOC], 2.4.1 "Retrieving Text". Styles are not read, so headings are plain lines.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from rag.documents.ole import open_compound
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_ENCRYPTED, _TABLE_1 = 0x0100, 0x0200
_FIELD = re.compile("\x13[^\x13\x14\x15]*(?:\x14([^\x13\x15]*))?\x15")
_SIGNS = str.maketrans({"\r": "\n", "\x0b": "\n", "\x0c": "\n", "\x1e": "\u2011", "\x1f": ""})
_BLANKS = re.compile(r"\n{3,}")


def read(reading: Reading) -> Iterator[Part]:
    """The text as one piece; table cells are parted by bars."""
    with open_compound(reading.path, reading.limits) as streams:
        main = streams.read("WordDocument")
        try:
            flags, fib_version = struct.unpack_from("<H", main, 10)[0], main[2] | main[3] << 8
            if flags & _ENCRYPTED:
                raise DocumentError("encrypted Word document: needs a password")
            if fib_version < 0xC1:
                raise DocumentError("written by Word 95 or older: save it as .docx")
            table = streams.read("1Table" if flags & _TABLE_1 else "0Table")
            text = "".join(_pieces(main, table))
            lengths = struct.unpack_from("<2i", main, 0x4C)
        except (struct.error, IndexError) as error:
            raise DocumentError("damaged Word document: its piece table is broken") from error
    yield Part(_readable(text[: max(sum(lengths), 0)]))


def _pieces(main: bytes, table: bytes) -> Iterator[str]:
    start, length = struct.unpack_from("<2I", main, 0x1A2)
    position, end = start, start + length
    while position < end and table[position] == 1:
        position += 3 + struct.unpack_from("<H", table, position + 1)[0]
    if table[position] != 2:
        raise IndexError
    size = struct.unpack_from("<I", table, position + 1)[0]
    position += 5
    count = (size - 4) // 12
    limits = struct.unpack_from(f"<{count + 1}I", table, position)
    for index in range(count):
        place = position + (count + 1) * 4 + index * 8 + 2
        offset = struct.unpack_from("<I", table, place)[0]
        characters = limits[index + 1] - limits[index]
        if offset & 0x40000000:
            begin = (offset & 0x3FFFFFFF) // 2
            yield main[begin : begin + characters].decode("cp1252", "replace")
        else:
            yield main[offset : offset + characters * 2].decode("utf-16-le", "replace")


def _readable(text: str) -> str:
    # Fields hold an instruction and a result; nested ones are resolved inside out.
    for _ in range(10):
        text, found = _FIELD.subn(lambda match: match.group(1) or "", text)
        if not found:
            break
    text = text.replace("\x07\x07", "\n").replace("\x07", " | ").translate(_SIGNS)
    return _BLANKS.sub("\n\n", text)
