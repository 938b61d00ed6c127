"""The fields that a Markdown file begins with, in YAML or TOML."""

from __future__ import annotations

import re

from rag.text.wrapping import stripped
from state.blocks import Block, BlockKind

_MOST_CHARS = 20_000
_BOUNDS = re.compile(r"(---|\+\+\+)[ \t]*\n(?:(.*?)\n)??(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = r"[^\s#\-][^:=\n]{0,80}[:=](?:\s|$)"
_FIELD = re.compile(rf"^(?={_KEY}).*(?:\n(?!{_KEY}|#).*)*", re.MULTILINE)
"""A key with the lines that belong to it, up to the next or a comment."""
_PASSED_OVER = re.compile(r"^[ \t]*(?:#.*|\[[^\[\]\n]*\][ \t]*$)", re.MULTILINE)
"""A comment, or the name of a table of TOML."""


def front_matter(text: str, base: int = 0) -> tuple[list[Block], int]:
    """The fields, each with the lines that belong to it, and the offset in `text` behind the front
    matter: 0 where there is none. `text` begins at offset `base` of its document.
    """
    bounds = _BOUNDS.match(text[:_MOST_CHARS])
    if bounds is None:
        return [], 0
    begin, end = bounds.span(2) if bounds[2] else (0, 0)
    found = [stripped(text, *field.span()) for field in _FIELD.finditer(text, begin, end)]
    before = _PASSED_OVER.sub("", text[begin : found[0][0]]) if found else text[begin:end]
    if before.strip():
        return [], 0  # prose between two lines across
    fields = [Block(BlockKind.METADATA, base + first, base + last) for first, last in found]
    return fields, bounds.end()
