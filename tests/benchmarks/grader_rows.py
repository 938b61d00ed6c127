"""What the grader measures of labelled questions: the rows its numbers are fitted to."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labelled import Corpus, LabelledSet, asked_text, corpora, index, is_relevant

from rag.engines.local.grade import Pool, chunk_features, in_domain_features
from rag.index.reader import CollectionReader
from rag.question.parse import parse_question
from rag.question.parts import POOL

RETRIEVED = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """One question on one corpus. `labels` and `chunks` go together; None is unknown."""

    set_name: str
    size: str
    foreign: bool
    absent: bool  # of the set's own, and read to be answered nowhere in it
    labels: Sequence[bool | None]
    chunks: Sequence[dict[str, float]]
    in_domain: dict[str, float]


def asked_rows(sets: Sequence[LabelledSet], seed: int, most: int) -> list[Asked]:
    """Of each set, with foreign questions from the others."""
    rows: list[Asked] = []
    for one in sets:
        others = sorted((other for other in sets if other is not one), key=lambda s: s.name)
        rows += [row for corpus in corpora(one, others, seed, most) for row in _asked(corpus)]
        print(f"{one.name}: measured", flush=True)
    return rows


def _asked(corpus: Corpus) -> list[Asked]:
    with tempfile.TemporaryDirectory() as home:
        collection = index(Path(home), corpus.documents)
        try:
            return [
                measured
                for queries, foreign in ((corpus.own, False), (corpus.foreign, True))
                for query in queries
                if (measured := _measure(corpus, collection, query, foreign)) is not None
            ]
        finally:
            collection.close()


def _measure(
    corpus: Corpus, collection: CollectionReader, query: dict, foreign: bool
) -> Asked | None:
    question = asked_text(query)
    hits = collection.search(question, RETRIEVED)
    parsed = parse_question(question, collection)
    pool = Pool.of(parsed, collection.search(parsed["text"], POOL))
    if not hits:
        return None
    return Asked(
        set_name=corpus.name,
        size=corpus.size,
        foreign=foreign,
        absent=query.get("kind") in ("absent", "near-miss"),
        labels=[False] * len(hits) if foreign else _labels(query, hits, collection),
        chunks=[chunk_features(hit, pool) for hit in hits],
        in_domain=in_domain_features(pool, collection.chunk_count),
    )


def _labels(query: dict, hits: list, collection: CollectionReader) -> list[bool | None]:
    """Of a document whose pieces nobody judged, the first found stands for it."""
    labels: list[bool | None] = []
    seen: set[str] = set()
    for hit in hits:
        document = collection.document(hit["source"])
        label = is_relevant(query, hit, document is None or document.chunk_count == 1)
        if label is None and hit["source"] not in seen and not query["answers"]:
            label = True
        seen.add(hit["source"])
        labels.append(label)
    return labels
