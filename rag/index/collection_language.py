"""The language that most of a collection is written in, by the function words that its index holds.

A question of names and nouns alone ("Öffnungszeiten Schwimmbad") is read in it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rag.index.language import ENGLISH, OTHERS, in_language, in_language_of
from rag.index.language_stems import function_words

if TYPE_CHECKING:
    from rag.index.protocol import CollectionReader

MOST = 0.5
"""The share of chunks that hold a language's commonest word, in a collection of that language."""


_SPOKEN: WeakKeyDictionary[CollectionReader, tuple[int, str]] = WeakKeyDictionary()


def reading_for(collection: CollectionReader, *questions: str) -> AbstractContextManager[None]:
    """What is asked of a collection is read in the language of the first of these questions that
    shows one, or else in the collection's, unless one was chosen before.
    """
    return in_language_of(*questions, spoken=lambda: spoken(collection))


def spoken(collection: CollectionReader) -> str:
    """English where no other is: its function words are in no index."""
    total = collection.chunk_count
    known = _SPOKEN.get(collection)
    if known is None or known[0] != total:
        known = _SPOKEN[collection] = (total, _spoken(collection, total))
    return known[1]


def _spoken(collection: CollectionReader, total: int) -> str:
    own = {language: function_words(language) - function_words(ENGLISH) for language in OTHERS}
    with in_language(ENGLISH):
        counts = collection.document_frequencies(sorted(frozenset().union(*own.values())))
    likeliest = max(OTHERS, key=lambda language: sum(counts[word] for word in own[language]))
    commonest = max(counts[word] for word in own[likeliest])
    return likeliest if commonest and commonest >= MOST * total else ENGLISH
