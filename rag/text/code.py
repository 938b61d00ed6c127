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
    a definition (0), in data an object (`WHOLE`, or 0 where it is long) or what follows it (1).
    """
    said = [line[:GLANCE] for line in lines[: 2 * _LOOKED_AT] if line.strip()]
    said = [line for line in said if not _COMMENT.match(line)][:_LOOKED_AT]
    is_data = sum(_DATA.match(line) is not None for line in said) > 0.6 * len(said)
    return _objects(lines) if is_data else _definitions(lines)


def _with_comments(lines: Sequence[str], at: int) -> int:
    """The first of the comments and decorators right above a line."""
    while at and _COMMENT.match(lines[at - 1]):
        at -= 1
    return at


def _definitions(lines: Sequence[str]) -> dict[int, int]:
    """Also what stands at the margin below a blank line, unless only a comment is above that."""
    found: dict[int, int] = {}
    above = ""
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        below_blank = not at or not lines[at - 1].strip()
        if below_blank and not line[0].isspace() and not _CLOSES.match(line):
            found[at] = int(_COMMENT.match(above) is not None)
        elif _DEFINES.match(line[:GLANCE]):
            first = _with_comments(lines, at)
            before = lines[first - 1] if first else ""
            if not before.strip() or indent_of(before) > indent_of(line):
                found[first] = 0
        above = line
    return found


def _objects(lines: Sequence[str]) -> dict[int, int]:
    found: dict[int, int] = {}
    opened = _opened(lines)
    at, above, opener, follows = 0, 0, -1, False
    while at < len(lines):
        line = lines[at]
        indent = _column(line)
        end, size = opened.get(at, (at + 1, 0))
        if not size and line.strip():
            closes = _CLOSES.match(line) is not None
            if not closes and (follows or indent < above):
                found.setdefault(at, int(line[0].isspace()))
            opener, follows = -1, closes
        elif size:
            # What it is in begins with its first object.
            first = _with_comments(lines, at) if opener < 0 else opener
            is_whole = size <= _LONGEST
            found[first] = WHOLE if is_whole else 0
            opener, follows = (-1, True) if is_whole else (first, False)
            end = end if is_whole else at + 1
        above = indent if line.strip() else above
        at = end
    return found


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
