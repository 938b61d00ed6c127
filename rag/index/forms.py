"""What an index holds of a term that was read in another language than English: its forms.

"bäum" in German is "baum", "baumen" and "bäumch" in an index. They are found in its vocabulary
when a question needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rag.index.language import ENGLISH, in_use
from rag.index.terms import read

if TYPE_CHECKING:
    from rag.index.hybrid import Legs

_KEPT = 10_000
# A stemmer writes the last letters of a stem anew, seldom more of them, and cuts off endings.
_WRITTEN_ANEW = 2
_LEAST_ALIKE = 2
_ENDING = 8


class Forms:
    """Of one collection, inside the caller's snapshot; what was found is kept until `forget`."""

    def __init__(self, legs: Legs) -> None:
        self._legs = legs
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}

    def forget(self) -> None:
        self._found.clear()

    def of(self, term: str) -> tuple[str, ...]:
        """The indexed terms that are read as this one in the language in use."""
        language = in_use()
        if language == ENGLISH or not (term.isascii() and term.isalpha()):
            return (term,)
        if (found := self._found.get((term, language))) is None:
            if len(self._found) >= _KEPT:
                self._found.clear()
            alike = term[: max(len(term) - _WRITTEN_ANEW, _LEAST_ALIKE)]
            held = self._legs.vocabulary(alike, len(alike), len(term) + _ENDING)
            found = tuple(sorted(form for form, _ in held if read(form) == term))
            self._found[term, language] = found
        return found

    def of_all(self, terms: Iterable[str]) -> list[str]:
        return [form for term in terms for form in self.of(term)]

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term; one that holds two forms of it may count twice."""
        forms = {term: self.of(term) for term in wanted}
        counts = self._legs.frequencies([form for each in forms.values() for form in each])
        most = self._legs.chunk_count
        return {
            term: min(sum(counts[form] for form in each), most) for term, each in forms.items()
        }
