"""The fields that a Markdown file begins with, in YAML or TOML."""

from __future__ import annotations

import re

from state.blocks import Block, BlockKind, Extent, Placed

_MOST_CHARS = 20_000
_BOUNDS = re.compile(r"(---|\+\+\+)[ \t]*\n(?:(.*?)\n)??(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"[^\s#\-][^:=\n]{0,80}[:=](?:\s|$)")


def front_matter(text: str, base: int = 0) -> tuple[list[Placed], int]:
    """Its fields, each with the lines that belong to it, and where what comes after it begins in
    `text`, which begins at `base` of its document.
    """
    bounds = _BOUNDS.match(text[:_MOST_CHARS])
    if bounds is None:
        return [], 0
    extents: list[Extent] = []
    position, is_within = base + bounds.start(2), False
    for line in (bounds.group(2) or "").split("\n"):
        end = position + len(line.rstrip())
        if _KEY.match(line):
            extents.append((position, end))
            is_within = True
        elif line.startswith("#"):
            is_within = False
        elif is_within and line.strip():
            extents[-1] = extents[-1][0], end
        position += len(line) + 1
    starts = [base, *(start for start, _ in extents[1:])]
    fields = [Block(BlockKind.METADATA, *extent) for extent in extents]
    return list(map(Placed, starts, fields)), bounds.end()
