"""Mends the spelling of words that a collection does not hold, by words that it does.

Only slips that seldom turn one word into another are mended (one letter swapped, dropped or
added, not the first; one exchanged in a long word), for a grade is given to the question as
mended. A word that the collection holds is never touched.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag.index.protocol import CollectionReader
from rag.index.terms import fold, term_spans

_SHORTEST = 5
_LONG = 8
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
    name = typed[:1].isupper()
    for spelt, _ in collection.similar_terms(typed, _CANDIDATES):
        if len(folded) >= _LONG or not _differ_by_a_letter(folded, spelt):
            return spelt.capitalize() if name else spelt
    return None


def _differ_by_a_letter(one: str, other: str) -> bool:
    """Neither swapped, dropped nor doubled: "wedding" and "welding" are both words."""
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1
