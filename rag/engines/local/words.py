"""A chunk as the grader reads it: its terms, and the words behind the terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.index.language import in_use
from rag.index.names import name_words
from rag.index.terms import terms, words
from state.passages import RetrievedChunk, is_web

# A chunk is about 1,200 characters; whoever hands over more is read this far.
CHUNK_CHARACTERS = 8000
CHUNK_WORDS = 300


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """The terms of the text and of what stands above it, in order; `counts` are the
    frequencies in both, `held` and `title` the distinct ones.
    """

    body: Sequence[str]
    head: Sequence[str]
    counts: Mapping[str, int]
    held: frozenset[str]
    title: frozenset[str]

    @property
    def length(self) -> int:
        return len(self.body) + len(self.head)


def read_terms(chunk: RetrievedChunk) -> ChunkTerms:
    title, heading = _label(chunk["title"]), _label(chunk["heading"])
    called = () if is_web(chunk) else name_words(chunk["source"])
    return _terms(_text(chunk), title, heading, called, in_use())


def read_words(chunk: RetrievedChunk) -> Sequence[str]:
    """The distinct words of letters alone, folded."""
    return _words(_text(chunk), in_use())


@lru_cache(maxsize=512)
def _terms(
    text: str, title: str, heading: str, called: Sequence[str], _language: str
) -> ChunkTerms:
    body, named = terms(text), terms(title)
    head = [*named, *terms(heading), *terms(" ".join(called))]
    counts = Counter([*body, *head])
    return ChunkTerms(body, head, counts, frozenset(counts), frozenset(named))


@lru_cache(maxsize=256)
def _words(text: str, _language: str) -> Sequence[str]:
    return [word for word in dict.fromkeys(words(text)) if word.isalpha()][:CHUNK_WORDS]


def _text(chunk: RetrievedChunk) -> str:
    return chunk["text"][:CHUNK_CHARACTERS]


def _label(label: str | None) -> str:
    return (label or "")[:CHUNK_CHARACTERS]
