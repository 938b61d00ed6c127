"""What an index knows of a word: its forms in another language, and whether a text has it.

The terms of an index are English stems: "haus" as German reads it is "haus", "hauser" and
"hausern" there. They are found in its vocabulary when a question needs them. A question of names
and nouns alone ("Öffnungszeiten Schwimmbad") is read in the language of most of the collection, by
the function words that its index holds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rag.index.language import ENGLISH, OTHERS, current_language, function_words, is_word, restem
from rag.index.terms import fold, stem

if TYPE_CHECKING:
    from rag.index.queries import IndexQueries

_KEPT_FORMS = 10_000
# A stemmer cuts off an ending, and writes at most the last letters before it anew.
_WRITTEN_ANEW = 2
_LEAST_ALIKE = 2
_ENDING = 8

_TERMS_READ = 32
_CHUNKS_READ = 3
"""Of each term: where a word is looked for as it is spelt."""
_WORD = re.compile(r"[^\W\d_]+")

MOST = 0.5
"""The share of chunks that hold a language's commonest word, in a collection of that language."""


class Vocabulary:
    """The terms of one collection, read inside the caller's snapshot; results are cached."""

    def __init__(self, index: IndexQueries) -> None:
        self._index = index
        self._counts: dict[str, int] = {}
        self._forms = lru_cache(_KEPT_FORMS)(self._forms_of)

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
        held = self._index.vocabulary(alike, len(term) + _ENDING)
        return sorted(form for form in held if restem(form, language) == term)

    def held(self, words: Iterable[str]) -> list[str]:
        """Those of these folded words that the chunks hold, of the most frequent terms first."""
        spelt: dict[str, set[str]] = defaultdict(set)
        for word in words:
            spelt[stem(word)].add(word)
        known = [(-count, term) for term, count in self.counts([*spelt]).items() if count]
        found: list[str] = []
        for count, term in sorted(known)[:_TERMS_READ]:
            first = self._index.lexical({term: -count}, _CHUNKS_READ)
            said: set[str] = set()
            for chunk in self._index.read([*first]).values():
                text = f"{chunk['title']} {chunk['heading']} {chunk['text']}"
                said.update(map(fold, _WORD.findall(text)))
            found += sorted(spelt[term] & said)
        return found
