"""The lines of a text grouped to blocks: prose that wraps, and lines that stand alone."""

# ruff: noqa: RUF001
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
_UNDERLINE = re.compile(r"\s{0,3}(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$")
_COLUMN_RULE = re.compile(r"\s*={2,}(?:\s+={2,})+\s*$")
_COLUMNS = re.compile(r"\S\s{2,}\S")
_RULE = re.compile(r"[\s*_=\-~.·•+#|:]{3,}$")
_ITEM = re.compile(r"\s*(?:[-*+•◦▪‣–—·]|\(?[0-9]{1,4}[.)]|\(?[A-Za-z][.)])\s+\S")
_QUOTED = re.compile(r"\s{0,3}>")
_FIELD = re.compile(r"\s*[^\W\d_][^:：\n]{0,40}[:：]\s+\S")
_SENTENCE_WORDS = 2
_GOES_ON = re.compile(
    r"\b(?:a|an|the|of|in|on|at|to|by|for|from|with|and|or|as|see)$", re.IGNORECASE
)
_CODE_LIKE = re.compile(r"[{};]\s*$|\w\(.*\)|[=!<>]=|:=|->|=>|::|^\s*(?:[$#>]|//|--)")


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int  # without the line break
    text: str
    hard: bool  # ends in a page break


def _lines(text: str) -> Iterator[_Line]:
    position = 0
    for raw in text.splitlines(keepends=True):
        body = raw.rstrip("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
        yield _Line(position, position + len(body), body, "\x0c" in raw[len(body) :])
        position += len(raw)


def blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """`(start, end, is_prose)` in order; only whitespace lies between blocks.

    A block that is not prose is one unit: a heading with its underline, a table row, a
    line of code, a rule.
    """
    paragraph: list[_Line] = []
    fence = ""
    columns = False  # in a table whose columns are set by spaces
    for line in _lines(text):
        columns = _in_columns(line.text, columns=columns)
        if not line.text.strip():
            if not fence:
                yield from _paragraph(paragraph)
            paragraph = []
        elif fence:
            fence = "" if line.text.strip().startswith(fence) else fence
            yield line.start, line.end, False
        elif len(paragraph) == 1 and _UNDERLINE.match(line.text) and _may_be_title(paragraph[0]):
            yield paragraph[0].start, line.end, False
            paragraph = []
        elif columns or _alone(line.text, after_blank=not paragraph):
            yield from _paragraph(paragraph)
            mark = _FENCE.match(line.text)
            paragraph, fence = [], mark.group(1) if mark else ""
            yield line.start, line.end, False
        else:
            if paragraph and _starts_new(paragraph[-1].text, line.text):
                yield from _paragraph(paragraph)
                paragraph = []
            paragraph.append(line)
        if line.hard:
            yield from _paragraph(paragraph)
            paragraph = []
    yield from _paragraph(paragraph)


def _in_columns(line: str, *, columns: bool) -> bool:
    return bool(_COLUMN_RULE.match(line)) or (
        columns and (not line.strip() or bool(_COLUMNS.search(line)))
    )


def _may_be_title(line: _Line) -> bool:
    return len(line.text) <= 120 and not _ITEM.match(line.text)


def _alone(line: str, *, after_blank: bool) -> bool:
    stripped = line.strip()
    if _FENCE.match(line) or _HEADING.match(line) or _RULE.match(line):
        return True
    if (
        stripped.startswith("|")
        or line.count("|") >= 2
        or " | " in line
        or stripped.count("\t") >= 2
    ):
        return True
    indented = line.startswith(("    ", "\t"))
    return indented and (after_blank or len(stripped) < 80) and bool(_CODE_LIKE.search(line[:400]))


def _starts_new(previous: str, line: str) -> bool:
    if _ITEM.match(line) or bool(_QUOTED.match(line)) != bool(_QUOTED.match(previous)):
        return True
    return bool(_FIELD.match(line) and _FIELD.match(previous))


def _runs_on(line: str, following: str) -> bool:
    """Whether the sentence goes on: no mark ends the line, and a small letter follows, or it ends
    in a word that ends no sentence. The first line of a quoted stretch may begin in mid-line and
    be short for that.
    """
    if _GOES_ON.search(line.rstrip()) and len(line.split()) > _SENTENCE_WORDS:
        return True
    return (
        following[:1].islower()
        and len(line.split()) >= _SENTENCE_WORDS
        and line.rstrip()[-1:].isalnum()
    )


def _paragraph(lines: list[_Line]) -> Iterator[tuple[int, int, bool]]:
    """Joins lines that were wrapped; parts lines that were broken on purpose.

    A wrapped line ends where the next word did not fit; a line that ends well before the
    paragraph's width was ended by its writer (an address, a verse, a heading).
    """
    if not lines:
        return
    width = max(len(line.text) for line in lines)
    start = lines[0].start
    for line, following in pairwise(lines):
        stripped = following.text.lstrip(" \t>")
        word = stripped.split(None, 1)[0] if stripped and stripped.isascii() else stripped[:1]
        short = len(line.text) + 1 + len(word) <= 0.75 * width
        # A ">" alone parts two paragraphs of a quotation.
        if not stripped or (short and not _runs_on(line.text, stripped)):
            yield start, line.end, True
            start = following.start
    yield start, lines[-1].end, True
