"""Which language a question is in, by its function words, and how that language stems a term of
the index.

The index holds English stems of every text, whatever its language. For a question in another
language they are stemmed once more by the rules of that one, in the question and in every text that
it is compared with: whatever is done for a question, from the search to the answer, runs inside
`reading_for(collection, question)`. The documents' languages need not be known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import Stemmer

if TYPE_CHECKING:
    from rag.index.reader import CollectionReader

ENGLISH = "english"
OTHERS = ("german", "french", "spanish", "portuguese", "italian", "dutch")
"""As Snowball calls them; where two fit equally, the first is taken. `lexicons/LANGUAGE.txt` holds
a language's function words.
"""

FEWEST = 2
"""Function words that make a question one of another language: a title may hold one by chance."""
_CHARACTERS = 2000
# A letter alone is a word ("a", "o", "l'eau"), an initial ("E. coli", "T-cell") or the rest of one
# ("isn't").
_WORD = re.compile(r"(?<!\w)[^\W\d_]{2,}(?!\w)|(?<![\w'\u2019])[a-z\u00e0-\u00ff](?!\w)")

_IN_USE: ContextVar[str | None] = ContextVar("language", default=None)


def current_language() -> str:
    return _IN_USE.get() or ENGLISH


@contextmanager
def reading_for(collection: CollectionReader, *questions: str) -> Iterator[None]:
    """Reads what is asked of a collection, inside, in the language of the first of these questions
    that shows one, else in the collection's; no effect inside another of these.
    """
    if _IN_USE.get() is not None:
        yield
        return
    found = next(filter(None, map(language_of, questions)), None)
    with in_language(found or collection.main_language):
        yield


@contextmanager
def in_language(language: str) -> Iterator[None]:
    token = _IN_USE.set(language)
    try:
        yield
    finally:
        _IN_USE.reset(token)


@lru_cache(maxsize=256)
def language_of(text: str) -> str | None:
    """The language that most function words of the text belong to; another than English needs
    FEWEST, and more than English has. None where it has too few of any.
    """
    found = _WORD.findall(text[:_CHARACTERS])
    typed = {word.casefold() for word in found if not word.isupper()}  # "IL-6" is no article
    said = set(map(unaccented, typed))
    english = len(said & lexicon(ENGLISH))
    # Many leave accents out; where they stand they decide between equals.
    counts = {
        language: (len(said & lexicon(language)), len(typed & _accented_lexicon(language)))
        for language in OTHERS
    }
    most = max(OTHERS, key=counts.__getitem__)
    if counts[most][0] >= max(FEWEST, english + 1):
        return most
    return ENGLISH if english else None


@cache
def lexicon(language: str) -> frozenset[str]:
    """The function words of a language, without accents."""
    return frozenset(map(unaccented, _accented_lexicon(language)))


@cache
def _accented_lexicon(language: str) -> frozenset[str]:
    path = Path(__file__).with_name("lexicons") / f"{language}.txt"
    return frozenset(path.read_text(encoding="utf-8").split())


def unaccented(text: str) -> str:
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(each for each in decomposed if not unicodedata.combining(each))


def restem_all(found: tuple[str, ...], language: str) -> tuple[str, ...]:
    if language == ENGLISH:
        return found
    return tuple(filter(None, (restem(term, language) for term in found)))


def restem(term: str, language: str) -> str:
    """An indexed term, an English stem, as a language stems it; "" for its function words."""
    if language == ENGLISH or not is_word(term):
        return term
    return "" if term in function_words(language) else stemmer(language).stemWord(term)


def is_word(term: str) -> bool:
    """Whether a term may have another stem in another language: one of ASCII letters."""
    return term.isascii() and term.isalpha()


@cache
def function_words(language: str) -> frozenset[str]:
    """The function words of a language, as they would be indexed."""
    return frozenset(stemmer(ENGLISH).stemWords(list(lexicon(language))))


@cache
def stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language, 0)
