"""What a weak model fills a field with for want of an answer: a refusal, or its own prompt."""

from __future__ import annotations

import re

from rag.engines.openai.prompts import Messages

_REFUSAL = re.compile(
    r"\W*(?:(?:i['’]?m |i am )?sorry\b|as an ai\b|i (?:can(?:['’]t| ?not)|could not|couldn['’]t|"
    r"do(?:es)?(?: not|n['’]t)|am (?:unable|not able))\b|unable to\b|n/?a\W*$|none\W*$|"
    r"(?:there is )?no (?:answer|question|instruction|information|contradictions?)\b)",
    re.IGNORECASE,
)
_PIECES = re.compile(r"(?<=[.!?:])\s+|\n+")
LEAST = 16
"""Characters of a piece of a prompt that no one writes by chance."""


def says_nothing(text: str, messages: Messages | None = None, *allowed: str) -> bool:
    """Whether it only says that there is nothing to say, or repeats a sentence or a line of the
    prompt, if one is given, other than those allowed.
    """
    if not text.strip() or _REFUSAL.match(text):
        return True
    return _is_echo(text, messages or [], allowed)


def _is_echo(text: str, messages: Messages, allowed: tuple[str, ...]) -> bool:
    said = _plain(text)
    own = {_plain(piece) for line in allowed for piece in (line, *_PIECES.split(line))}
    return any(
        len(plain) >= LEAST and plain in said and plain not in own
        for _, told in messages
        for line in told.split("\n")
        for piece in (line, *_PIECES.split(line))
        if (plain := _plain(piece))
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
