"""The fields that a Markdown file begins with, in YAML or TOML."""

from __future__ import annotations

import re

from state.blocks import Block, BlockKind, Placed

MOST_FRONT_MATTER = 20_000
_BOUNDS = re.compile(r"(---|\+\+\+)[ \t]*\n(?:(.*?)\n)??(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"[^\s#\-][^:=\n]{0,80}[:=](?:\s|$)")


def front_matter(text: str) -> tuple[list[Placed], int]:
    """Its fields, each with the lines that belong to it, and where the text after it begins."""
    bounds = _BOUNDS.match(text[:MOST_FRONT_MATTER])
    if bounds is None:
        return [], 0
    placed: list[Placed] = []
    position = bounds.start(2)
    begin = end = -1
    for line in (bounds.group(2) or "").split("\n"):
        is_key = _KEY.match(line) is not None
        if is_key or line.startswith("#"):
            if begin >= 0:
                placed.append(Placed(begin, Block(BlockKind.METADATA, begin, end)))
            begin = position if is_key else -1
        if begin >= 0 and line.strip():
            end = position + len(line.rstrip())
        position += len(line) + 1
    if begin >= 0:
        placed.append(Placed(begin, Block(BlockKind.METADATA, begin, end)))
    if placed:
        placed[0] = placed[0]._replace(at=0)
    return placed, bounds.end()
