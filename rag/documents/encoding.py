"""Bytes to text: which encoding a file is in, or that it is no text at all."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from rag.documents.stream import MIB, Part, Reading
from state.errors import DocumentError

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE = 64 * 1024
_STRICT_SCAN = 16 * MIB
_BLOCK = 1 << 18
_ESCAPED = re.compile(r"(?<!\\)(?:\\u(?!00[0-9])[\da-fA-F]{4})+")
"""Letters beyond ASCII as programs write them into JSON."""
_CONTROLS = bytes(set(range(0x20)) - {0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x1B}) + b"\x7f"
# What Windows-1252 prose of western Europe puts above ASCII; anything else is another code page.
_WESTERN = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿŒœ¿¡"
    "\u20ac\xa3\xa7\xa9\xae\xb0\xb1\xb2\xb3\xb4\xb5\xb7\xbc\xbd\xbe\xd7\xab\xbb\xa0"
    "\u201c\u201d\u201e\u2018\u2019\u201a\u2013\u2014\u2026\u2022\u2122"
)


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec's name; `exact` is False when some bytes are not of it and will be replaced."""

    name: str
    exact: bool = True


def detect(file: IO[bytes]) -> Encoding:
    """The encoding of an open file, whose position is left at its start.

    A byte order mark decides; then UTF-8, checked strictly over the first 16 MiB; then a
    sample of what is not UTF-8 is judged by charset-normalizer.

    Raises:
        DocumentError: the file holds binary data.
    """
    data = file.read(_STRICT_SCAN)
    file.seek(0)
    marked = next((name for bom, name in _BOMS.items() if data.startswith(bom)), None)
    if marked:
        return Encoding(marked, exact=False)
    if _is_binary(data[:_SAMPLE]):
        raise DocumentError("binary data, not text")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=len(data) < _STRICT_SCAN)
    except UnicodeDecodeError as error:
        first = max(0, error.start - _SAMPLE // 2)
        return _guess(data[first : first + _SAMPLE])
    return Encoding("utf-8", exact=len(data) < _STRICT_SCAN)


def text_blocks(reading: Reading) -> Iterator[str]:
    """The file's text in blocks of whole lines, some 256 Ki characters each, line ends made one."""
    with reading.path.open("rb") as file:
        encoding = detect(file)
        text = io.TextIOWrapper(file, encoding=encoding.name, errors="replace", newline=None)
        while lines := text.readlines(_BLOCK):
            block = "".join(lines)
            if not encoding.exact and "\ufffd" in block:
                reading.warn(f"some bytes are not {encoding.name} and were replaced")
            yield block


def read_text(reading: Reading) -> str:
    """The whole text of a file that is small enough to be held."""
    return "".join(text_blocks(reading))


def decode(data: bytes, declared: str | None = None) -> str:
    """The text of bytes such as an archive's member. A mark or valid UTF-8 beats the encoding
    that the document declares of itself, which beats a guess.
    """
    for name in ("utf-8-sig", None if data.startswith(tuple(_BOMS)) else declared):
        with suppress(UnicodeDecodeError, LookupError):
            if name:
                return data.decode(name)
    encoding = detect(io.BytesIO(data))
    return data.decode(encoding.name, errors="replace")


def is_text(head: bytes) -> bool:
    return head.startswith(tuple(_BOMS)) or not _is_binary(head)


def read(reading: Reading) -> Iterator[Part]:
    """The text as it stands, with the escapes of JSON as letters."""
    is_json = "json" in reading.path.suffix
    for block in text_blocks(reading):
        yield Part(
            _ESCAPED.sub(lambda found: json.loads(f'"{found[0]}"'), block) if is_json else block
        )


def _is_binary(head: bytes) -> bool:
    nuls = head.count(0)  # a log may hold a run of them from a crash
    controls = len(head) - len(head.translate(None, _CONTROLS)) - nuls
    return controls > len(head) * 0.03 or nuls > len(head) * 0.3


def _guess(sample: bytes) -> Encoding:
    """The encoding of bytes that are not all UTF-8."""
    text = sample.decode("utf-8", errors="replace")
    invalid = text.count("\ufffd")
    valid = sum(character > "\x7f" for character in text) - invalid
    # Mostly UTF-8: another code page would spoil every good character for a few bad bytes.
    if valid > 4 * invalid or (invalid <= 3 and valid >= invalid):
        return Encoding("utf-8", exact=False)
    western = [c for c in sample.decode("cp1252", errors="replace") if c > "\x7f"]
    if len(western) < len(sample) * 0.2 and _WESTERN.issuperset(western):
        return Encoding("cp1252")
    from charset_normalizer import from_bytes

    # UTF-16 and EBCDIC are no guesses for a file in which ASCII can be read as it stands.
    matches = (match.encoding for match in from_bytes(sample))
    best = next((name for name in matches if b"A\n ".decode(name, "replace") == "A\n "), None)
    if best is None and len(western) > len(sample) * 0.1:
        raise DocumentError("binary data, or text in an unknown encoding")
    # ASCII with a few bytes spoiled: the words are all there.
    return Encoding(best or "utf-8", exact=False)
