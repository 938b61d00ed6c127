"""A chunk as the grader reads it: its terms by sentence, and the words behind them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.index.terms import fold, term_spans, terms
from rag.sentences import sentence_spans
from state.graph_state import RetrievedChunk

# A chunk is about 1,200 characters; whoever hands over more is read this far.
CHUNK_CHARACTERS = 8000
CHUNK_WORDS = 300
CHUNK_SENTENCES = 80


@dataclass(frozen=True, slots=True)
class ChunkWords:
    """`counts` are term frequencies of text and head; `words` the distinct folded words."""

    head: frozenset[str]
    title: frozenset[str]
    counts: Mapping[str, int]
    held: frozenset[str]
    length: int
    sentences: Sequence[frozenset[str]]
    sentence_texts: Sequence[str]
    words: Sequence[str]


def read_chunk(chunk: RetrievedChunk) -> ChunkWords:
    return _read(chunk["text"][:CHUNK_CHARACTERS], chunk["title"] or "", chunk["heading"])


@lru_cache(maxsize=512)
def _read(text: str, title: str, heading: str) -> ChunkWords:
    title, heading = title[:CHUNK_CHARACTERS], heading[:CHUNK_CHARACTERS]
    spans = sentence_spans(text)[:CHUNK_SENTENCES] or [(0, len(text))]
    starts = [start for start, _ in spans]
    sentences: list[set[str]] = [set() for _ in spans]
    counts: Counter[str] = Counter()
    words: dict[str, None] = {}
    for start, end, found in term_spans(text):
        counts.update(found)
        sentences[max(bisect_right(starts, start) - 1, 0)].update(found)
        words.setdefault(fold(text[start:end]))
    length = counts.total() + 1
    named = frozenset(terms(title))
    head = named | frozenset(terms(heading))
    counts.update(head)
    return ChunkWords(
        head=head,
        title=named,
        counts=counts,
        held=frozenset(counts),
        length=length,
        sentences=[frozenset(sentence) for sentence in sentences],
        sentence_texts=[text[start:end] for start, end in spans],
        words=[word for word in words if word.isalpha()][:CHUNK_WORDS],
    )
