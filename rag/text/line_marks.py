"""What a line of a text looks like: a heading, an item, a row, code, or a mark for programs."""

from __future__ import annotations

import re
from typing import NamedTuple

GLANCE = 400
"""So many characters of a line tell what it is."""

FENCE = re.compile(r"[ \t>]*(`{3,}(?=[^`]*$)|~{3,})")
RULE = re.compile(r"[\s*_=\-~.\u00b7\u2022+#|:^]{3,}$")
ITEM = re.compile(
    r"([ \t]*)(?:[-*+\u2022\u25e6\u25aa\u2023\u2013\u2014\u00b7]"
    r"|\[[ xX]\]|\(?[0-9]{1,3}[.)]|\(?[A-Za-z][.)])[ \t]+\S"
)
MARKDOWN_ITEM = re.compile(r"([ \t]*)(?:[-*+]|([0-9]{1,9})[.)])[ \t]+\S")
QUOTED = re.compile(r"[ \t]*(?:>[ \t]?)+")
DELIMITERS = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
"""The line below the header of a table of Markdown."""
_MARKED = re.compile(
    r"[ ]{0,3}(#{1,6}|={1,6})[ \t]+(\S.*?)(?:[ \t]+[#=]+)?[ \t]*(?:\{[#.][^{}]*\}[ \t]*)?$"
)
_UNDERLINES = "=-~^*+#\"'`.:"
"""What a heading is underlined with, outermost first; of Markdown, the first two."""
_COUNTED = re.compile(
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){1,5}\.?[ \t]|\d{1,3}\.[ \t]{2}"
    r"|\d{1,3}\.(?=[^a-z]+$)|\d{1,2}(?=[ \t]+[^\Wa-z\d_]{4}[^a-z]*$))"
    r"|(?P<part>(?i:chapter|part|appendix|annexe?|schedule|kapitel|teil|anhang|chapitre|titre)"
    r"[ \t]+(?=(?:\d+|[IVXLC]+|[A-Z])\b))"
    r"|§+|(?i:article|artikel|art\.|section|abschnitt)[ \t]+(?=(?:\d+|[IVXLC]+)\b)"
)
"""The number before the words of a title: of a part of a book, or of a section."""
_DATE = re.compile(
    r"(?:[^\W\d]{2,10},? )?(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    r"|(?=.*\d)(?:\d{1,2}\w{0,2}\.? )?(?:jan|f[e\xe9][bv]|m[a\xe4]r|a[pv]r|ma[iy]|ju[inl]|aug"
    r"|ao\xfb|sep|o[ck]t|nov|d[e\xe9][cz])[^\W\d]*\.?(?: \d{1,2}\w{0,2},?)?(?: \d{4})?)",
    re.IGNORECASE,
)
"""A date alone in a line: the heading of what was written on that day."""
_TITLE_CHARS = 120
_SET_IN = 3
"""Columns that the text below a heading of a manual is set in by, at least."""

DEFINITION = re.compile(r"[ \t]*:[ \t]+(?=\S)")
"""The mark of a definition, whose term is the line above."""


class HeadingLine(NamedTuple):
    """Where the title starts and ends in the line; `underlined`: the next line is part of it."""

    level: int
    first: int
    last: int
    underlined: bool = False


def is_row(line: str) -> bool:
    """Whether a line is a row of a table, drawn with bars or set with tabs."""
    bars = line.lstrip()[:1] == "|" or line.count("|") >= 2
    parted = bars or " | " in line or line.strip().count("\t") >= 2
    return parted and not RULE.match(line)


def heading(
    line: str, following: str, *, after_blank: bool = False, markdown: bool = False
) -> HeadingLine | None:
    """The heading in `line`, if it is one: marked at its start, or underlined by the next line."""
    marked = _MARKED.match(line)
    if marked is not None and not (markdown and marked[1][0] == "="):
        return HeadingLine(len(marked.group(1)), marked.start(2), marked.end(2))
    text, under = line.strip(), following.rstrip()
    least = 2 if markdown else max(len(text), 3)
    underlines = len(under) >= least and under == under[0] * len(under)
    if not after_blank or not underlines or under[0] not in _UNDERLINES[: 2 if markdown else None]:
        return None
    if len(text) > _TITLE_CHARS or line[0] == "\t" or ITEM.match(line) or RULE.match(line):
        return None
    level = min(_UNDERLINES.index(under[0]) + 1, 6)
    return HeadingLine(level, line.index(text), len(line.rstrip()), underlined=True)


def section(line: str, following: str, *, titled: bool) -> HeadingLine | None:
    """The heading in `line` of a plain text below a blank line, if it is one: a date; in capitals
    above what is set in, as in a manual; above another blank line counted or in capitals.
    `titled`: right below a heading, where what is in capitals and alone is what that is of.
    """
    text, is_alone = line.rstrip(), not following.strip()
    counted = _COUNTED.match(text) if is_alone else None
    letters = [each.isupper() for each in text if each.isalpha()]
    in_capitals = text[:1].isalpha() and all(letters) and not re.search(r"[\d:=]", text)
    if _DATE.fullmatch(text):
        level = 2
    elif counted:
        level = 1 if counted["part"] else 2 + (counted["number"] or "").strip(" .\t").count(".")
    elif is_alone:
        level = int(in_capitals and len(text) > 3 and not titled)
    else:
        level = int(in_capitals and indent_of(following) >= _SET_IN)
    most = _TITLE_CHARS if counted else _TITLE_CHARS // 2
    if not level or len(text) > most or text.endswith(tuple(".,;:!?")) or ".." in text:
        return None
    return HeadingLine(level, 0, len(text))


def table_heading(line: str, following: str) -> HeadingLine | None:
    """The heading of a table, if `line` is one: a sheet's name, or one cell above several."""
    marked = _MARKED.match(line)
    if marked is not None:
        return HeadingLine(1, marked.start(2), marked.end(2))
    if " | " not in line and " | " in following and len(line.strip()) <= _TITLE_CHARS:
        return HeadingLine(2, len(line) - len(line.lstrip()), len(line.rstrip()))
    return None


def indent_of(line: str) -> int:
    """The indentation of a line in columns."""
    space = line[: len(line) - len(line.lstrip(" \t"))]
    return len(space.expandtabs(4))
