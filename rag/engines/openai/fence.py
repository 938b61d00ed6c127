"""Fencing of foreign text, so that a model can tell data from the words around it.

The mark is drawn at random, and the same for all requests of one question: a server that keeps
the beginning of a prompt need not read it again, and who wrote a document cannot know it, and
so cannot close the fence from inside.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

_TAG = re.compile(r"<(?=\s*/?\s*document\b)", re.IGNORECASE)
_SECRET = secrets.token_bytes(16)
"""Of this process: with it a question gives its mark, and nobody else can work that out."""


@dataclass(frozen=True, slots=True)
class Fence:
    mark: str

    @classmethod
    def around(cls, question: str, texts: Iterable[str]) -> Fence:
        """The question's fence, whose mark is in none of the texts."""
        held = [text.casefold() for text in texts]
        drawn = (f"{draw} {question}".encode("utf-8", "replace") for draw in count())
        marks = (f"#{hmac.digest(_SECRET, each, 'sha256').hex()[:8]}" for each in drawn)
        return cls(next(mark for mark in marks if not any(mark in text for text in held)))

    def document(self, name: str, title: str, text: str) -> str:
        """One fenced document; tags like the fence's own are made harmless in it."""
        heading = " ".join(f"{name} {title}".split())
        # Behind the name, which a model repeats: "as document [3] says".
        return (
            f"<document> {_TAG.sub('&lt;', heading)} {self.mark}\n"
            f"{_TAG.sub('&lt;', text.strip())}\n</document> {self.mark}"
        )
