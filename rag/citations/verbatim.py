"""Word for word, up to whitespace, case, quotation marks, Markdown and left-out middles."""

# ruff: noqa: RUF001
from __future__ import annotations

import re
from functools import lru_cache

from rag.citations.notes import without_notes

_MARKUP = re.compile(
    r"<!--.*?-->|[*_`#>|\"'“”‘’«»„‚\\]|\]\([^()\s]{0,300}\)"
    r"|\]\[[^\[\]\n]{0,200}\]|!?\[",
    re.DOTALL,
)
_SPACES = re.compile(r"\s+")
_EDGE = re.compile(r"^[\s\-*•+.,;:…)\]]+|[\s.,;:!?…。！？(\[]+$")
_LEFT_OUT = re.compile(r"…|\.\.\.")


def is_verbatim(claim: str, said: str) -> bool:
    there = _plain(said)
    place = 0
    pieces = [_EDGE.sub("", piece) for piece in _LEFT_OUT.split(_plain(claim))]
    pieces = [piece for piece in pieces if piece]
    for piece in pieces:
        place = _find(there, piece, place)
        if place < 0:
            return False
    return bool(pieces)


@lru_cache(maxsize=1024)
def _plain(text: str) -> str:
    plain = _SPACES.sub(" ", _MARKUP.sub("", without_notes(text))).strip().casefold()
    return plain.replace(" :", ":")


def _find(said: str, piece: str, start: int) -> int:
    """Where the piece ends in what was said, at word boundaries; -1 if it is not there."""
    while (place := said.find(piece, start)) >= 0:
        end = place + len(piece)
        opens = place == 0 or not (said[place - 1].isalnum() and piece[0].isascii())
        closes = end == len(said) or not (said[end].isalnum() and piece[-1].isascii())
        if opens and closes:
            return end
        start = place + 1
    return -1
