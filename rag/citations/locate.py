"""Where a quote stands: word for word, or nearly so and then at its real wording.

Quotes and documents are both written by others: every search here is bounded by their lengths.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.citations.words import Word, words_of
from state.passages import ContextDocument, Excerpt

NEAR = 0.9
MOST_WORDS = 250
"""Of a quote that need not stand word for word."""
_TRIED = 3
"""Places at which a near match is looked for: where most of its words stand in a line."""
_TOO_COMMON = 200
_LONGEST = 4_000
"""Characters of a quote that are looked at."""
_APART = 12
"""Characters between two stretches that are read as one: marks and white space."""
_BREAK = Word("\n", 0, 0)
_ELLIPSIS = re.compile(r"\s*(?:\[(?:…|\.{3})\]|…|\.{3,})\s*")
_SIGNS = re.compile(r"\s.*", re.DOTALL)
_DENIALS = frozenset(("no", "not", "never", "none", "without", "cannot", "nor", "t"))
_SHORT = 3
_LONG = 5


@dataclass(frozen=True, slots=True)
class Located:
    """`[start, end)` of the document, in one excerpt."""

    excerpt: Excerpt
    start: int
    end: int


def locate(quote: str, document: ContextDocument) -> list[Located]:
    """Where the quote stands, each of its pieces between ellipses; empty unless all of them do."""
    told = [(piece, [*words_of(piece)]) for piece in _ELLIPSIS.split(quote[:_LONGEST])]
    asked = [[word.said for word in words] for _, words in told if words]
    if not asked or not any(_says_something(piece) for piece in asked):
        return []
    text = [*_words(document["excerpts"])]
    found = [_find(piece, text) for piece in asked]
    if any(place is None for place in found):
        return []
    signs = [_SIGNS.sub("", piece[words[-1].end :]) for piece, words in told if words]
    return [
        _located(text[place[0]].start, text[place[1]].end, document, behind)
        for place, behind in zip(found, signs, strict=True)
        if place is not None
    ]


def _says_something(piece: Sequence[str]) -> bool:
    return len(piece) > 1 or any(len(said) > _SHORT or said.isdigit() for said in piece)


def _words(excerpts: Sequence[Excerpt]) -> Iterator[Word]:
    end = None
    for excerpt in excerpts:
        if end is not None and not 0 <= excerpt["start_char"] - end <= _APART:
            yield _BREAK
        yield from words_of(excerpt["text"], excerpt["start_char"])
        end = excerpt["end_char"]


def _located(start: int, end: int, document: ContextDocument, behind: str) -> Located:
    """With the signs that the quote too has `behind` its last word: a full stop, a bracket."""
    excerpt = next(e for e in document["excerpts"] if e["start_char"] <= start < e["end_char"])
    end = min(end, excerpt["end_char"])
    while behind and excerpt["text"].startswith(behind[0], end - excerpt["start_char"]):
        behind, end = behind[1:], end + 1
    return Located(excerpt, start, end)


def _find(piece: Sequence[str], text: Sequence[Word]) -> tuple[int, int] | None:
    """The first and the last of the words that are quoted."""
    joined = "".join(f" {word.said}" for word in text) + " "
    at = joined.find(f" {' '.join(piece)} ")
    if at >= 0:
        first = joined.count(" ", 0, at)
        return first, first + len(piece) - 1
    return _nearly(piece, text) if len(piece) <= MOST_WORDS else None


def _nearly(piece: Sequence[str], text: Sequence[Word]) -> tuple[int, int] | None:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(text):
        places.setdefault(word.said, []).append(place)
    room = max(1, round(len(piece) * (1 - NEAR)))
    lines = Counter(
        place - n
        for n, said in enumerate(piece)
        if len(places.get(said, ())) <= _TOO_COMMON
        for place in places.get(said, ())
    )
    best: tuple[float, int, int] | None = None
    for line, _ in lines.most_common(_TRIED):
        low, high = max(line - room, 0), min(line + len(piece) + room, len(text))
        found = _aligned(piece, [word.said for word in text[low:high]])
        if found is not None and (best is None or found[0] < best[0]):
            best = found[0], low + found[1], low + found[2]
    if best is None or best[0] > (1 - NEAR) * len(piece):
        return None
    return best[1], best[2]


def _aligned(piece: Sequence[str], text: Sequence[str]) -> tuple[float, int, int] | None:
    """The least that must be changed for the piece to stand in the text, which may go on before
    and behind it (Sellers 1980), and the first and last word it then has.
    """
    costs = [0.0] * (len(text) + 1)
    starts = [*range(len(text) + 1)]
    for said in piece:
        left_out = _alone(said)
        new, origin = [costs[0] + left_out], [starts[0]]
        for place, other in enumerate(text, 1):
            ways = (
                (costs[place - 1] + _exchanged(said, other), starts[place - 1]),
                (costs[place] + left_out, starts[place]),
                (new[place - 1] + _alone(other), origin[place - 1]),
            )
            cost, start = min(ways)
            new.append(cost)
            origin.append(start)
        costs, starts = new, origin
    end = min(range(len(costs)), key=costs.__getitem__)
    return (costs[end], starts[end], end - 1) if end > starts[end] else None


def _alone(said: str) -> float:
    """What it costs to leave a word out or to put it in: a number or a denial is never near."""
    if said in _DENIALS or said == "\n" or any(map(str.isdigit, said)):
        return float(MOST_WORDS)
    return 0.5 if len(said) <= _SHORT else 1.0


def _exchanged(said: str, other: str) -> float:
    if said == other:
        return 0.0
    dear = max(_alone(said), _alone(other))
    alike = min(len(said), len(other)) >= _LONG and said[:_LONG] == other[:_LONG]
    return 0.3 if alike and dear <= 1 else max(dear, 1.0)
