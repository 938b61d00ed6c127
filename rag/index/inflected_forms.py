"""What an index holds of a term that was read in another language: its forms.

"haus" as German reads it is "haus", "hauser" and "hausern" in an index. They are found in its
vocabulary when a question needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rag.index.language import ENGLISH, in_use
from rag.index.language_stems import is_word, read

if TYPE_CHECKING:
    from rag.index.hybrid import Legs

_KEPT = 10_000
# A stemmer cuts off an ending, and writes at most the last letters before it anew.
_WRITTEN_ANEW = 2
_LEAST_ALIKE = 2
_ENDING = 8


class Forms:
    """Of one collection, inside the caller's snapshot; what was found is kept."""

    def __init__(self, legs: Legs) -> None:
        self._legs = legs
        self._found: dict[tuple[str, str], list[str]] = {}

    def of(self, terms: Iterable[str]) -> list[str]:
        """The indexed terms that are read as one of these in the language in use."""
        language = in_use()
        if language == ENGLISH:
            return list(terms)
        return [form for term in terms for form in self._of_one(term, language)]

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term; one that holds two forms of it may count twice."""
        if in_use() == ENGLISH:
            return self._legs.frequencies(wanted)
        forms = {term: self.of([term]) for term in wanted}
        counts = self._legs.frequencies(self.of(wanted))
        most = self._legs.chunk_count
        return {term: min(sum(map(counts.__getitem__, each)), most) for term, each in forms.items()}

    def _of_one(self, term: str, language: str) -> list[str]:
        if not is_word(term):
            return [term]
        if (term, language) not in self._found:
            if len(self._found) >= _KEPT:
                self._found.clear()
            alike = term[: max(len(term) - _WRITTEN_ANEW, _LEAST_ALIKE)]
            held = self._legs.vocabulary(alike, len(alike), len(term) + _ENDING)
            self._found[term, language] = sorted(form for form, _ in held if read(form) == term)
        return self._found[term, language]
