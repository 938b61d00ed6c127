"""The source lines of a reStructuredText document, and where on them a node stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER_FIELD = re.compile(r"[A-Z][\w-]*:(?: |$)")


@dataclass(slots=True)
class SourceLines:
    """`cursor` is the line below the node that was found last."""

    lines: list[str]
    cursor: int = 0

    def find(self, source: list[str], line: int | None, *, begins: bool = False) -> int | None:
        """The line that a node's source begins on: near docutils' own, or below the node before."""
        candidates = list(range(self.cursor, min(self.cursor + 400, len(self.lines))))
        if line is not None:
            candidates = [line - 1, line - 2, line, *candidates]
        fits = (index for index in candidates if self._stands_at(index, source, begins=begins))
        return next(fits, None)

    def explicit(self, source: list[str], line: int | None) -> range:
        """The lines of what is not shown, such as a comment, with its mark."""
        first = self.find(source, line)
        if first is None or not source[0].strip():
            return range(0)
        last = first + len(source)
        if first and self.lines[first - 1].strip() == "..":
            return range(first - 1, last)
        marked = self.lines[first].lstrip().startswith(("..", "__"))
        return range(first, last) if marked else range(0)

    def _stands_at(self, index: int, source: list[str], *, begins: bool) -> bool:
        if not 0 <= index <= len(self.lines) - len(source):
            return False
        line, text = self.lines[index].strip(), source[0].strip()
        if not (line.startswith(text) if begins else line.endswith(text)):
            return False
        return all(
            self.lines[index + offset].strip() == source[offset].strip()
            for offset in range(1, len(source))
        )


def mark_header(lines: list[str]) -> None:
    """Writes a header as mail has it, such as a PEP begins with, as a field list."""
    end = next((index for index, line in enumerate(lines) if not line.strip()), len(lines))
    head = lines[:end]
    fields = [index for index, line in enumerate(head) if _HEADER_FIELD.match(line)]
    others = (line for index, line in enumerate(head) if index not in set(fields))
    if len(fields) > 1 and fields[0] == 0 and all(line[0] in " \t" for line in others):
        for index in fields:
            lines[index] = ":" + lines[index]


def is_rule(line: str) -> bool:
    line = line.rstrip()
    return len(line) > 1 and not line[0].isalnum() and not line.strip(line[0]) and line[0] != " "
