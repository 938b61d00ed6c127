"""Bytes to text: which encoding a file is in, or that it is no text at all."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE = 64 * 1024
_BINARY = "binary data, or text in an unknown encoding"
_ESCAPED = re.compile(r"(?<!\\)(?:\\u(?!00[0-9])[\da-fA-F]{4})+")
"""Letters beyond ASCII as programs write them into JSON."""
_SUBTITLES = (".srt", ".vtt")
_CUE = re.compile(r"^(?:\d+\n)?[\d:.,]+[ \t]+-->.*", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[\w.-]{1,40})?\s+([^<>]{1,80})>")
_TAG = re.compile(r"</?[a-z\d][^<>]{0,80}>|\{\\[^{}]{0,80}\}", re.IGNORECASE)
_CONTROLS = bytes(set(range(0x20)) - {0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x1B}) + b"\x7f"
# What Windows-1252 prose of western Europe puts above ASCII; anything else is another code page.
_WESTERN = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿŒœ¿¡"
    "\u20ac\xa3\xa7\xa9\xae\xb0\xb1\xb2\xb3\xb4\xb5\xb7\xbc\xbd\xbe\xd7\xab\xbb\xa0"
    "\u201c\u201d\u201e\u2018\u2019\u201a\u2013\u2014\u2026\u2022\u2122"
)


class Decoded(NamedTuple):
    """A text, and the encoding of its bytes; not `exact` where some are not of it."""

    text: str
    encoding: str
    exact: bool = True


def decoded(data: bytes, declared: str | None = None) -> Decoded:
    """The text of bytes. A mark or valid UTF-8 beats the encoding that the document declares of
    itself, which beats a guess.

    Raises:
        DocumentError: it is binary data.
    """
    marked = next((name for bom, name in _BOMS.items() if data.startswith(bom)), None)
    for name in (marked or "utf-8", None if marked else declared):
        with suppress(UnicodeDecodeError, LookupError):
            if name:
                return Decoded(data.decode(name), name)
    encoding = marked or _guess(data)
    text = data.decode(encoding, "replace")
    return Decoded(text, encoding, "\ufffd" not in text)


def read_decoded(reading: Reading) -> Decoded:
    """The file's text, line ends made one."""
    data = reading.path.read_bytes()
    if not is_text(data[:_SAMPLE]):
        raise DocumentError(_BINARY)
    found = decoded(data)
    if not found.exact:
        reading.warn(f"some bytes are not {found.encoding} and were replaced")
    return found._replace(text=found.text.replace("\r\n", "\n").replace("\r", "\n"))


def is_text(head: bytes) -> bool:
    return head.startswith(tuple(_BOMS)) or not _is_binary(head)


def read(reading: Reading) -> Iterator[Part]:
    """The text as it stands, with the escapes of JSON as letters; of subtitles without counts,
    times and tags, on the same lines.
    """
    text = read_decoded(reading).text
    if "json" in reading.path.suffix:
        text = _ESCAPED.sub(lambda found: json.loads(f'"{found[0]}"'), text)
    if reading.path.suffix.lower() in _SUBTITLES:
        text = _CUE.sub(lambda found: "\n" * found[0].count("\n"), text)
        text = _TAG.sub("", _VOICE.sub(r"\1: ", text))
    yield Part(text)


def _is_binary(head: bytes) -> bool:
    nuls = head.count(0)  # a log may hold a run of them from a crash
    controls = len(head) - len(head.translate(None, _CONTROLS)) - nuls
    return controls > len(head) * 0.03 or nuls > len(head) * 0.3


def _guess(data: bytes) -> str:
    """The encoding of bytes that are not all UTF-8, judged by a sample around the first such."""
    before = data.decode("utf-8", "replace").partition("\ufffd")[0].encode()
    first = max(0, len(before) - _SAMPLE // 2)
    sample = data[first : first + _SAMPLE]
    if _is_binary(sample):
        raise DocumentError(_BINARY)
    text = sample.decode("utf-8", errors="replace")
    invalid = text.count("\ufffd")
    valid = sum(character > "\x7f" for character in text) - invalid
    # Mostly UTF-8: another code page would spoil every good character for a few bad bytes.
    if valid > 4 * invalid or (invalid <= 3 and valid >= invalid):
        return "utf-8"
    western = [c for c in sample.decode("cp1252", errors="replace") if c > "\x7f"]
    if len(western) < len(sample) * 0.2 and _WESTERN.issuperset(western):
        return "cp1252"
    from charset_normalizer import from_bytes

    # UTF-16 and EBCDIC are no guesses for a file in which ASCII can be read as it stands.
    matches = (match.encoding for match in from_bytes(sample))
    best = next((name for name in matches if b"A\n ".decode(name, "replace") == "A\n "), None)
    if best is None and len(western) > len(sample) * 0.1:
        raise DocumentError(_BINARY)
    # ASCII with a few bytes spoiled: the words are all there.
    return best or "utf-8"
