"""Where source code begins a definition, and data an object or a mapping."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.text.line_marks import GLANCE, indent_of
from state.blocks import WHOLE

_LONGEST = 400
"""An object of so many characters is a block of its own, which is shown whole."""
_LOOKED_AT = 400
_COMMENT = re.compile(r"\s*(?:#(?![a-z])|//|/?\*|--(?!-)|;|@)")
"""A comment or a decorator: of what is below it."""
_CLOSES = re.compile(r"\s*(?:[\]})]|</)")
_DEFINES = re.compile(
    r"\s*(?:(?:export|public|private|protected|internal|static|abstract|override|async|pub)\s"
    r"|(?:class|def|enum|fn|fun|func|function|impl|interface|module|namespace|proc|struct|sub|trait"
    r"|type)\s+[\w$*(]|(?!(?:if|for|while|switch|catch|with)\b)[\w$]+\([^()]*\).*\{\s*$)"
)
_DATA = re.compile(
    r"""\s*(?:-\s|[\[\]{}<]|(?:"[^"\n]{1,80}"|'[^'\n]{1,80}'|[\w./$-]{1,80})\s*:(?:\s|$)"""
    r"""|"[^"\n]*",?\s*$)"""
)


def borders(lines: Sequence[str]) -> dict[int, int]:
    """The numbers of the lines that begin something, with the level of the block that begins there:
    a definition (0), in data an object (`WHOLE`, or 0 where it is long) or what follows it (1);
    comments and decorators right above are part of it. Of code also what stands at the margin below
    a blank line.
    """
    said = [line for line in lines[: 2 * _LOOKED_AT] if line.strip() and not _COMMENT.match(line)]
    said = [line[:GLANCE] for line in said[:_LOOKED_AT]]
    is_data = sum(_DATA.match(line) is not None for line in said) > 0.6 * len(said)
    found: dict[int, int] = {}
    opened = _opened(lines)
    at, above, opener, follows = 0, 0, -1, False
    while at < len(lines):
        line, (end, size) = lines[at], opened.get(at, (at + 1, 0))
        indent, is_whole = _column(line), is_data and size <= _LONGEST
        if not line.strip():
            opener = -1
        elif size and (is_data or _DEFINES.match(line[:GLANCE])):
            # What is right above it begins with it.
            first = _with_comments(lines, at) if opener < 0 else opener
            found[first] = WHOLE if is_whole else 0
            opener, follows = (-1, True) if is_whole else (first, False)
        else:
            closes = _CLOSES.match(line) is not None
            parted = not line[0].isspace() and not lines[at - 1].strip()
            if not closes and (parted or (is_data and (follows or indent < above))):
                found.setdefault(at, int(line[0].isspace()))
            opener, follows = -1, closes
        above = indent if line.strip() else above
        at = end if is_whole else at + 1
    return found


def _with_comments(lines: Sequence[str], at: int) -> int:
    """The first of the comments and decorators right above a line."""
    while at and _COMMENT.match(lines[at - 1]):
        at -= 1
    return at


def _column(line: str) -> int:
    """The column of a line; an item of YAML is in the key above it, which may stand no further."""
    return 2 * indent_of(line[:GLANCE]) + line.lstrip().startswith("- ")


def _opened(lines: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Of each line with others set in below it, the number of the line behind these and of what
    closes them, and how many characters they have.
    """
    found: dict[int, tuple[int, int]] = {}
    around: list[tuple[int, int, int]] = []  # column, line, where it starts
    last, stop = 0, 0  # of what was read so far: the line behind it, its characters
    at_char = 0
    for at, line in enumerate([*lines, "end"]):
        if line.strip():
            column, closes = _column(line), _CLOSES.match(line) is not None
            while around and around[-1][0] >= column:
                above, begun, start = around.pop()
                if above == column and closes:
                    last, stop = at + 1, at_char + len(line)
                if last > begun + 1:
                    found[begun] = last, stop - start
            if not closes:
                around.append((column, at, at_char))
            last, stop = at + 1, at_char + len(line)
        at_char += len(line) + 1
    return found
