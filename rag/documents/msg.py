"""Outlook messages (MSG): headers and body from their MAPI properties."""

from __future__ import annotations

from collections.abc import Iterator

from rag.documents.encoding import decode
from rag.documents.html import page_text
from rag.documents.ole import CompoundFile, open_compound
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_HEADERS = (("From", "0C1A"), ("To", "0E04"), ("Cc", "0E03"), ("Subject", "0037"))
_CLASS, _BODY, _HTML, _RTF = "001A", "1000", "1013", "1009"


def read(reading: Reading) -> Iterator[Part]:
    """The message as one piece. Attachments are not read."""
    with open_compound(reading.path, reading.limits) as streams:
        lines = [f"{label}: {text}" for label, key in _HEADERS if (text := _text(streams, key))]
        reading.title = _text(streams, "0037") or None
        body = _text(streams, _BODY)
        html = f"__substg1.0_{_HTML}0102"
        if not body.strip() and html in streams:
            body = page_text(streams.read(html), reading)
        kind = _text(streams, _CLASS).lower()
        if not body.strip() and ("smime" in kind or "rpmsg" in kind):
            raise DocumentError("encrypted message: needs its reader's key")
        if not body.strip() and f"__substg1.0_{_RTF}0102" in streams:
            reading.warn("the body is compressed RTF, which is not read")
        yield Part("\n".join(lines) + "\n\n" + body)


def _text(streams: CompoundFile, key: str) -> str:
    """A text property, stored as UTF-16 (001F) or in an unnamed code page (001E)."""
    wide, narrow = (f"__substg1.0_{key}{kind}" for kind in ("001F", "001E"))
    if wide in streams:
        return streams.read(wide).decode("utf-16-le", "replace").rstrip("\0")
    return decode(streams.read(narrow)).rstrip("\0") if narrow in streams else ""
