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
    return "" if term in function_words(language) else _stemmer(language).stemWord(term)


def is_word(term: str) -> bool:
    """Whether a term has another stem in another language; of other scripts none has."""
    return term.isascii() and term.isalpha()


@cache
def function_words(language: str) -> frozenset[str]:
    """The function words of a language, as they would be indexed."""
    return frozenset(_stemmer(ENGLISH).stemWords(list(lexicon(language))))


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language, 0)
