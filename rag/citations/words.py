"""A text as the words that a quote of it must have: without markup, whitespace and typography.

Each word keeps its place, so that what is found is cited as it stands in the document.
"""

# ruff: noqa: RUF001
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_INVISIBLE = "\u00ad\u200b-\u200d\u2060\ufeff"
_LETTER = rf"(?:(?![{_CJK}])[^\W_])"
_PIECE = re.compile(
    # What is markup only: comments, tags, shortcodes, where links lead, marks before a line.
    r"<!--(?:(?!-->).){0,2000}-->|</?[A-Za-z][^<>\n]{0,300}>|\{\{[<%].{0,300}?[%>]\}\}"
    r"|\{%.{0,300}?%\}|\]\([^()\s]{0,500}(?:\s+\"[^\"\n]{0,200}\")?\)|^[ \t]*>[> \t]*|!(?=\[)"
    rf"|(?P<word>[{_CJK}]|{_LETTER}+(?:[{_INVISIBLE}]+{_LETTER}+)*"
    # Signs that change what is said; a minus only where it is one.
    r"|[<>=%+/\\≤≥≠±]|(?<![^\s(])[-−](?=\d))",
    re.MULTILINE | re.DOTALL,
)
_UNSEEN = re.compile(f"[{_INVISIBLE}]")


@dataclass(frozen=True, slots=True)
class Word:
    """`said` is what it is compared by; `[start, end)` are characters of the document."""

    said: str
    start: int
    end: int


def words_of(text: str, base: int = 0) -> Iterator[Word]:
    """The words of a text that begins at `base` of its document."""
    for found in _PIECE.finditer(text):
        if (word := found["word"]) is not None:
            said = unicodedata.normalize("NFKC", _UNSEEN.sub("", word)).casefold()
            yield Word(
                "".join(said.replace("−", "-").split()), base + found.start(), base + found.end()
            )
