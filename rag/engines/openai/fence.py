"""Fencing of foreign text, so that a model can tell data from the words around it.

The mark is drawn anew for every request: who wrote a document cannot know it, and so
cannot close the fence from inside.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

_TAG = re.compile(r"<(?=\s*/?\s*document\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fence:
    mark: str

    @classmethod
    def around(cls, texts: Iterable[str]) -> Fence:
        """A fence whose mark is in none of the texts."""
        held = [text.casefold() for text in texts]
        while True:
            mark = f"#{secrets.token_hex(4)}"
            if not any(mark in text for text in held):
                return cls(mark)

    @property
    def notice(self) -> str:
        return f"Fence: {self.mark}"

    def document(self, name: str, title: str, text: str) -> str:
        """One fenced document; tags like the fence's own are made harmless in it."""
        heading = " ".join(f"{name} {title}".split())
        return (
            f"<document>\n{self.mark} {_TAG.sub('&lt;', heading)}\n"
            f"{_TAG.sub('&lt;', text.strip())}\n{self.mark}\n</document>"
        )
