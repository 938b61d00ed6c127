"""What every extracted text goes through: one kind of line end, no control characters."""

from __future__ import annotations

import re

_LINE_ENDS = re.compile("\r\n?|[\x85\u2028\u2029]")
_COLOUR = re.compile("(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\ud800-\udfff]")
_NOT_TEXT: dict[int, str | None] = {
    **dict.fromkeys({*range(0x20), 0x7F, 0xAD} - {0x09, 0x0A}),
    **{code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)},
    **dict.fromkeys((0x0B, 0x0C), " "),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}

_DEFAULT = re.compile(
    r"\W*(?:anonymous|unspecified|untitled|no title)\W*"
    r"(?:(?:document|presentation|spreadsheet)\W*)?\d*"
    r"|slide \d+|powerpoint presentation|microsoft (?:word|excel|powerpoint) - .*",
    re.IGNORECASE | re.DOTALL,
)
"""What programs put in by themselves: Office, Google Docs, LibreOffice, InDesign, ReportLab."""


def clean(text: str) -> str:
    """The text with every line end as one line feed and without control characters.

    A terminal's colour and cursor sequences go whole. Vertical tab and form feed part words,
    so they become a space. A C1 control is what Windows-1252 writes there, as HTML has it:
    it comes from text decoded as Latin-1. NUL, ESC and all other controls go, and soft hyphens,
    which would part a word; a lone surrogate, which no file can hold, becomes U+FFFD.
    Everything else stays as it is: no normalisation, nothing folded.
    """
    text = _LINE_ENDS.sub("\n", text)
    if "\x1b" in text or "\x9b" in text:
        text = _COLOUR.sub("", text)
    return text.translate(_NOT_TEXT) if _CONTROL.search(text) else text


def real_title(property_: str | None) -> str | None:
    """A file property's title; None for a placeholder such as "Untitled 1"."""
    return None if property_ is None or _DEFAULT.fullmatch(property_.strip()) else property_
