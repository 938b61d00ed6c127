"""What an index knows of a word: its forms in another language, and words spelt like it.

The terms of an index are English stems: "haus" as German reads it is "haus", "hauser" and
"hausern" there. They are found in its vocabulary when a question needs them. A question of names
and nouns alone ("Öffnungszeiten Schwimmbad") is read in the language of most of the collection, by
the function words that its index holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rag.index.language import (
    ENGLISH,
    OTHERS,
    current_language,
    function_words,
    in_language_of,
    is_word,
    restem,
)
from rag.index.terms import fold, indexed_text

if TYPE_CHECKING:
    from rag.index.queries import IndexQueries
    from rag.index.reader import CollectionReader

_KEPT_FORMS = 10_000
# A stemmer cuts off an ending, and writes at most the last letters before it anew.
_WRITTEN_ANEW = 2
_LEAST_ALIKE = 2
_ENDING = 8

_KEPT_SPELLINGS = 1000
_SHORTEST = 4
_SHORTEST_STEM = 3
# Stems are compared with room for what stemming cut off, words exactly.
_STEM_SLIPS = 2
_STEMS_READ = 32
_CHUNKS_READ = 3
"""Of each stem: where a form of the word is looked for. With ten, 143 slips of the 178 of
`rag/question/spelling.py` are mended instead of 141, in twice the time."""
_WORD = re.compile(r"[^\W\d_]+")

MOST = 0.5
"""The share of chunks that hold a language's commonest word, in a collection of that language."""


def reading_for(collection: CollectionReader, *questions: str) -> AbstractContextManager[None]:
    """What is asked of a collection is read in the language of the first of these questions that
    shows one, or else in the collection's, unless one was chosen before.
    """
    return in_language_of(*questions, default=lambda: collection.main_language)


class Vocabulary:
    """The terms of one collection, read inside the caller's snapshot; results are cached."""

    def __init__(self, index: IndexQueries) -> None:
        self._index = index
        self._counts: dict[str, int] = {}
        self._forms = lru_cache(_KEPT_FORMS)(self._forms_of)
        self.similar_spellings = lru_cache(_KEPT_SPELLINGS)(self._similar_spellings)

    @cached_property
    def main_language(self) -> str:
        """The language of most of it; English where no other is: its function words are in no
        index.
        """
        own = {language: function_words(language) - function_words(ENGLISH) for language in OTHERS}
        counts = self.counts(sorted(frozenset().union(*own.values())))
        likeliest = max(OTHERS, key=lambda language: sum(counts[word] for word in own[language]))
        commonest = max(counts[word] for word in own[likeliest])
        is_most = commonest and commonest >= MOST * self._index.chunk_count
        return likeliest if is_most else ENGLISH

    def forms(self, terms: Iterable[str]) -> list[str]:
        """The indexed terms that are read as one of these in the language in use."""
        language = current_language()
        if language == ENGLISH:
            return list(terms)
        return [form for term in terms for form in self._forms(term, language)]

    def counts(self, indexed: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each indexed term; cached, for counting is what takes longest."""
        if new := [term for term in indexed if term not in self._counts]:
            self._counts |= self._index.frequencies(new)
        return {term: self._counts[term] for term in indexed}

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term; one that holds two forms of it may count twice."""
        forms = {term: self.forms([term]) for term in wanted}
        counts = self.counts(self.forms(wanted))
        most = self._index.chunk_count
        return {term: min(sum(map(counts.__getitem__, each)), most) for term, each in forms.items()}

    def _forms_of(self, term: str, language: str) -> list[str]:
        if not is_word(term):
            return [term]
        alike = term[: max(len(term) - _WRITTEN_ANEW, _LEAST_ALIKE)]
        held = self._index.vocabulary(alike, len(alike), len(term) + _ENDING)
        return sorted(form for form, _ in held if restem(form, language) == term)

    def _similar_spellings(self, word: str) -> list[tuple[str, int]]:
        """(word, document frequency) of those one slip away, most frequent first."""
        own = set(indexed_text(word).split())
        if len(word) < _SHORTEST or not own:
            return []
        stem = max(own, key=len)
        lengths = _SHORTEST_STEM, len(stem) + _STEM_SLIPS
        near = [
            (distance, -count, term)
            for term, count in self._index.vocabulary(word[0], *lengths)
            if term not in own and (distance := _stem_distance(word, stem, term)) <= _STEM_SLIPS
        ]
        found: dict[str, int] = {}
        for _, count, term in sorted(near)[:_STEMS_READ]:
            for spelt in self._spelt(term, word):
                found[spelt] = -count
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))

    def _spelt(self, term: str, word: str) -> set[str]:
        """The words behind a term that are one slip away, from the first chunks that hold it."""
        found = self._index.read(self._index.chunks_with_term(term, _CHUNKS_READ))
        return {
            other
            for chunk in found.values()
            for said in set(_WORD.findall(f"{chunk['title']} {chunk['heading']} {chunk['text']}"))
            if abs(len(said) - len(word)) <= 1
            and edit_distance(word, other := fold(said), 1) == 1
            and other[0] == word[0]
            and term in indexed_text(said).split()
        }


def _stem_distance(word: str, stem: str, term: str) -> int:
    """The edit distance of a stem and a term, which stemming may have cut shorter ("differ")."""
    begins = edit_distance(word[: len(term)], term, 1) + 1
    return min(begins, edit_distance(stem, term, _STEM_SLIPS))


def edit_distance(left: str, right: str, limit: int) -> int:
    """Damerau-Levenshtein distance (adjacent swaps count one); `limit + 1` if it is larger.

    Optimal string alignment, cut off at `limit` (Damerau 1964).
    """
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    # A slip takes away one letter and brings in one at most; this spares most of a vocabulary.
    held, wanted = set(left), set(right)
    if len(held - wanted) > limit or len(wanted - held) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(right) + 1))
    for row, character in enumerate(left, 1):
        current = [row]
        for column, other in enumerate(right, 1):
            cost = min(
                last[column] + 1, current[column - 1] + 1, last[column - 1] + (character != other)
            )
            swapped = row > 1 and column > 1 and character == right[column - 2]
            if swapped and left[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, last = last, current
    return min(last[-1], limit + 1)
