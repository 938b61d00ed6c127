"""An indexed term, which is an English stem, as another language reads it."""

from __future__ import annotations

from functools import cache

import Stemmer

from rag.index.language import ENGLISH, in_use, lexicon


def read(term: str) -> str:
    """What an indexed term is in the language in use; empty where it is a function word there."""
    return _read(term, in_use())


def read_all(found: tuple[str, ...], language: str) -> tuple[str, ...]:
    if language == ENGLISH:
        return found
    return tuple(filter(None, (_read(term, language) for term in found)))


def _read(term: str, language: str) -> str:
    if language == ENGLISH or not is_word(term):
        return term
    stemmer, idle = _rules(language)
    return "" if term in idle else stemmer.stemWord(term)


def is_word(term: str) -> bool:
    """Whether a term has another stem in another language; of other scripts none has."""
    return term.isascii() and term.isalpha()


@cache
def _rules(language: str) -> tuple[Stemmer.Stemmer, frozenset[str]]:
    """A language's stemmer and its function words, these as they are indexed."""
    indexed = Stemmer.Stemmer(ENGLISH, 0).stemWords(list(lexicon(language)))
    return Stemmer.Stemmer(language, 0), frozenset(indexed)
