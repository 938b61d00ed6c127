"""Prose as it is shown: its wrapped lines joined, without what only its format reads."""

from __future__ import annotations

import re

_NOTES = re.compile(  # one or several in a row, no part of a link or a name (`reg[1]`)
    r"(?<![\w\]])(?:\[\d{1,3}\])+(?![\[(:])"
)
_QUOTED = re.compile(
    r"\n[ \t]*(?:>[ \t]?)+"
)  # the mark of a quoted paragraph, on its further lines
_COMMENT = re.compile(r"(?<!\S)<!--.*?-->(?!\S)", re.DOTALL)
_ROUND = str.maketrans("[]", "()")


def as_prose(text: str) -> str:
    """A paragraph on one line, without the marks of quoted lines and comments between words; its
    own note signs, which would pass for markers, in round brackets. What stands in backticks keeps
    them all.
    """
    pieces = _QUOTED.sub("\n", text).split("`")
    pieces[::2] = [
        _NOTES.sub(lambda found: found.group().translate(_ROUND), _COMMENT.sub("", piece))
        for piece in pieces[::2]
    ]
    return " ".join("`".join(pieces).split())
