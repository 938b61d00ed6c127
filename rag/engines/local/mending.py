"""Mends the spelling of words that a collection does not hold, by words that it does.

A word that the collection holds is never touched, whatever a dictionary would say; nor is a
name or an abbreviation that is merely unknown, unless one slip makes it a known one.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag.index.protocol import CollectionReader
from rag.index.terms import fold, term_spans

_SHORTEST = 5
_MOST_WORDS = 6
_CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class Mended:
    """`changes` are (as typed, as mended); `text` is unchanged where there are none."""

    text: str
    changes: tuple[tuple[str, str], ...]


def mend_spelling(text: str, collection: CollectionReader) -> Mended:
    words = [(start, end, found) for start, end, found in term_spans(text)]
    counts = collection.document_frequencies(sorted({t for *_, found in words for t in found}))
    unknown = [
        (start, end)
        for start, end, found in words
        if not any(counts.get(term, 0) for term in found) and _may_be_slip(text[start:end])
    ]
    pieces: list[str] = []
    changes: list[tuple[str, str]] = []
    last = 0
    for start, end in unknown[:_MOST_WORDS]:
        typed = text[start:end]
        right = _nearest(typed, collection)
        if right is not None:
            pieces += [text[last:start], right]
            changes.append((typed, right))
            last = end
    return Mended("".join([*pieces, text[last:]]), tuple(changes))


def _may_be_slip(word: str) -> bool:
    return len(word) >= _SHORTEST and word.isalpha() and not word.isupper()


def _nearest(typed: str, collection: CollectionReader) -> str | None:
    folded = fold(typed)
    known = [
        (distance, spelt[:1] != folded[:1], -count, spelt)
        for spelt, distance, count in collection.similar_terms(typed, _CANDIDATES)
        if spelt.isalpha()
    ]
    name = typed[:1].isupper()
    for distance, other_letter, _, spelt in sorted(known):
        if distance > 1 and (name or other_letter):
            continue
        if name and other_letter:
            continue
        return spelt.capitalize() if name else spelt
    return None
