"""Foreign text on one line of a list."""

from __future__ import annotations


def shorten(text: str, width: int) -> str:
    """`text` on one line, cut at a word with an ellipsis where it is longer than `width`."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    head = line[: width - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[width // 2 :] else head) + "…"
