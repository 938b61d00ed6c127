"""The lines of a text that comes in pieces, each with the one that follows it."""

from __future__ import annotations

from collections.abc import Iterator

LONG_LINE = 4096
"""A line without an end in sight is taken in pieces of this many characters."""


def lines_ready(text: str, position: int, *, final: bool) -> Iterator[tuple[int, int, str]]:
    """Of each line of `text[position:]` of which enough is known, all if it is `final`: its start,
    its end behind the line feed, and the next line or as much as is known of it.
    """
    while position < len(text):
        reach = position + LONG_LINE
        end = text.find("\n", position, reach)
        if end < 0 and not final and len(text) < reach:
            return
        after = end + 1 if end >= 0 else min(len(text), reach)
        following = ""
        if end >= 0:
            reach = after + LONG_LINE
            next_end = text.find("\n", after, reach)
            if next_end < 0 and not final and len(text) < reach:
                return
            following = text[after : next_end if next_end >= 0 else reach]
        yield position, after, following
        position = after
