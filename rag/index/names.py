"""What documents are called, and which of them a query names.

A document is called by its file's name, that name's words or number alone, its folder and its
title. A key is such a name without what people write in different ways: case, hyphens, spaces,
leading zeros ("PEP 8", "pep-0008"). A query names a document where some of its words in a row are
one of these keys and few files of other names have it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING

from rag.index.codec import decode_path
from rag.index.language import current_language, restem
from rag.index.ranking import rarity
from rag.index.terms import CAMEL, STOP_WORDS, fold, stem

if TYPE_CHECKING:
    from rag.index.queries import IndexQueries

SHARED = 4
"""A key that files of more than so many names share is the name of none."""

COPIES = 12
"""Nor is one that more documents share, though their files have one name: a page may be kept for
each version, but "index" names nothing.
"""

NAMED_CHUNKS = 30
"""How many chunks of a named document are ranked with the others."""

_WORDS = 0.7  # ordinary words may stand in a row by chance; with a number they do not
_WORD = 0.58  # one alone, as rare as can be: a question may say it of anything
_LONE = 0.58  # a number of a name without its word: "RFC 403" may be one, "port 403" is none
_QUERY_WORDS = 60
_KEY_WORDS = 6
_TITLE_WORDS = 12
_PART = re.compile(r"\d+|[^\W\d_]+")
_NUMBER = "#"
_SUBTITLE = re.compile(r"\s+[-\u2013\u2014|]\s+|:\s+|\s+\(")


def name_keys(source: str, title: str | None) -> set[str]:
    path = PurePath(source)
    keys: set[str] = set()
    name, folder = _words(path.stem), _words(path.parent.name)
    for words in (name, folder, [*folder, *name] if folder else []):
        keys.update(_keys(words))
    number = next((word for word in name if word.isdigit()), None)
    if number is not None:
        keys.add(_NUMBER + number)
    if title:
        keys.update(_keys(_words(title)[: _TITLE_WORDS + 1]))
        keys.update(_keys(_words(_SUBTITLE.split(title, maxsplit=1)[0])))
    return keys


def name_words(source: str) -> tuple[str, ...]:
    """The folded words and numbers of a file's name, without leading zeros."""
    return tuple(_words(PurePath(source).stem))


def query_keys(query: str) -> dict[str, range]:
    """Every key that words of the query in a row could be, with the places of these, longer ones
    first.
    """
    words = _words(query)[:_QUERY_WORDS]
    stems = list(map(stem, words))
    found: dict[str, range] = {}
    for count in range(min(_KEY_WORDS, len(words)), 0, -1):
        for first in range(len(words) - count + 1):
            word = words[first]
            if count > 1 or not (word.isdigit() or word in STOP_WORDS):
                key = "".join(stems[first : first + count])
                found.setdefault(key, range(first, first + count))
    for first, (before, word) in enumerate(pairwise(words)):
        if word.isdigit() and not before.isdigit() and before not in STOP_WORDS:
            found.setdefault(_NUMBER + word, range(first, first + 2))
    return found


def named_documents(
    index: IndexQueries, query: str, weights: Mapping[str, float]
) -> dict[int, float]:
    """The documents that the query names, with how surely: up to 1. `weights`: of each of the
    query's terms; an ordinary word alone names nothing.
    """
    asked = query_keys(query)
    having: dict[str, dict[int, str]] = defaultdict(dict)
    for key, document, source in index.documents_named(list(asked)) if asked else ():
        having[key][document] = PurePath(decode_path(source)).name
    found: dict[int, float] = {}
    taken: set[int] = set()
    for key, places in asked.items():
        documents = having.get(key, {})
        files = len(set(documents.values()))
        if not 0 < files <= SHARED or len(documents) > COPIES or taken.issuperset(places):
            continue
        taken.update(places)
        surely = _LONE if key.startswith(_NUMBER) else 1.0
        if not any(map(str.isdigit, key)):
            term = restem(key, current_language())
            rare = min(weights.get(term, 0.0) / rarity(1, index.chunk_count), 1.0)
            surely = _WORDS if len(places) > 1 else _WORD * rare**2
        for each in documents:
            found[each] = max(found.get(each, 0.0), surely / files)
    return found


def _keys(words: list[str]) -> Iterator[str]:
    """The keys of a name: all its words, those up to its number, and those without numbers."""
    number = next((place for place, word in enumerate(words) if word.isdigit()), None)
    several: Iterable[list[str]] = [words]
    if number is not None:
        rest = [word for word in words if not word.isdigit()]
        several = [words, words[: number + 1] if number else [], rest]
    for some in several:
        if some and not all(map(str.isdigit, some)) and len(some) <= _TITLE_WORDS:
            yield "".join(map(stem, some))


def _words(text: str) -> list[str]:
    """Folded words and numbers, these without leading zeros."""
    words: list[str] = []
    for part in _PART.findall(text):
        if part[0].isdigit():
            words.append(part.lstrip("0") or "0")
        else:
            words.extend(folded for each in CAMEL.split(part) if (folded := fold(each)))
    return words
