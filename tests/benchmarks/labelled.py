"""Labelled sets as collections of many sizes, with questions of their own and foreign ones; and
what the grader measures of these: the rows its numbers are fitted to.

A set is a folder with `queries.jsonl` and either `corpus.jsonl` or `files/`, as `crag eval` reads
them.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from real_docs import json_lines

from rag.documents.registry import open_document
from rag.documents.stream import Part
from rag.embed.builtin import BuiltinEmbedder
from rag.engines.local.grade import chunk_features, in_domain_features
from rag.index.home.store import HomeStore
from rag.index.protocol import DocumentPart, IndexedDocument
from rag.index.reader import CollectionReader
from rag.question.parse import parse_question
from rag.question.parts import POOL
from rag.text.chunk import chunk_parts
from state.documents import Chunk
from state.errors import DocumentError

EMBEDDER = BuiltinEmbedder()
RETRIEVED = 8
SIZES = ((1000, 1, 50), (300, 2, 30), (30, 10, 8))
"""Sub-sampled corpora: documents, how many such corpora, questions of their own in each."""
FILE_SIZES = ((30, 3, 16),)
"""The same of a documentation, which has few files and long ones."""


@dataclass(frozen=True, slots=True)
class LabelledSet:
    name: str
    documents: dict[str, dict[str, Any]]
    queries: list[dict[str, Any]]

    @property
    def answerable(self) -> list[dict[str, Any]]:
        known = self.documents.keys()
        return [q for q in self.queries if q["relevant"] and known >= set(q["relevant"])]

    @property
    def absent(self) -> list[dict[str, Any]]:
        """What a whole documentation was read for and does not hold."""
        return [q for q in self.queries if q.get("kind") in ("absent", "near-miss")]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents to index, and the questions to ask: (text, relevant documents, answers)."""

    name: str
    size: str
    documents: Sequence[dict[str, Any]]
    own: Sequence[dict[str, Any]]
    foreign: Sequence[dict[str, Any]]


def load_set(folder: Path) -> LabelledSet:
    queries = json_lines(folder / "queries.jsonl")
    if (folder / "files").is_dir():
        return LabelledSet(folder.name, dict(_files(folder / "files")), queries)
    documents = {row["id"]: row for row in json_lines(folder / "corpus.jsonl")}
    return LabelledSet(folder.name, documents, queries)


def _files(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        identifier = str(path.relative_to(folder))
        try:
            with open_document(path) as stream:
                parts = list(stream.parts)
        except DocumentError:
            continue  # a picture
        text = "".join(part.text for part in parts)
        held = {"title": stream.title, "text": text, "parts": parts, "format": stream.format}
        yield identifier, {"id": identifier, **held}


def corpora(one: LabelledSet, others: list[LabelledSet], seed: int, most: int) -> Iterator[Corpus]:
    """The whole set, then its sub-samples; as many foreign questions as own ones.

    Small corpora keep neighbours (documents of one title or file), which are the hard
    negatives of a real folder; a third of their foreign questions are the set's own whose
    documents were left out.
    """
    rng = Random(seed)
    outside = [q for other in others for q in other.answerable]
    own = one.answerable
    asked = rng.sample(own, min(most, len(own)))
    foreign = [*one.absent, *rng.sample(outside, min(most, len(outside)))]
    yield Corpus(one.name, "full", list(one.documents.values()), asked, foreign)
    neighbours: dict[str, list[str]] = {}
    for identifier, document in one.documents.items():
        neighbours.setdefault(document["title"] or identifier, []).append(identifier)
    for size, count, questions in FILE_SIZES if one.absent else SIZES:
        for _ in range(count):
            asked = rng.sample(own, min(questions, len(own)))
            kept = dict.fromkeys(chain.from_iterable(q["relevant"] for q in asked))
            titles = sorted({one.documents[i]["title"] or i for i in kept})
            for title in titles:
                group = neighbours[title]
                share = max(3, size // len(titles))
                kept |= dict.fromkeys(rng.sample(group, min(len(group), share)))
            kept = dict.fromkeys(list(kept)[:size])
            rest = [identifier for identifier in one.documents if identifier not in kept]
            kept |= dict.fromkeys(rng.sample(rest, max(0, min(len(rest), size - len(kept)))))
            near = [q for q in own if not kept.keys() & set(q["relevant"])]
            third = min(len(near), questions // 3)
            other = min(len(outside), questions - third)
            foreign = rng.sample(near, third) + rng.sample(outside, other)
            asked = [q for q in asked if kept.keys() & set(q["relevant"])]
            documents = [one.documents[identifier] for identifier in kept]
            yield Corpus(one.name, str(size), documents, asked, foreign)


def index(home: Path, documents: Sequence[dict[str, Any]]) -> CollectionReader:
    """Each document its own source, whose name is its id."""
    store = HomeStore(home)
    with store.open_writer("set") as writer:
        for start in range(0, len(documents), 256):
            batch = documents[start : start + 256]
            titles = {each["id"]: each["title"] or None for each in batch}
            rows = [IndexedDocument(name, None, None, "", title=titles[name]) for name in titles]
            parts = [[DocumentPart(document["text"], _chunks(document))] for document in batch]
            writer.put_all(list(zip(rows, parts, strict=True)))
    return store.open_collection("set")


def is_relevant(query: dict[str, Any], hit: dict[str, Any], one_chunk: bool) -> bool | None:
    """None where nobody knows: a piece of a relevant document that holds no answer."""
    if hit["source"] not in query["relevant"]:
        return False
    text = " ".join(hit["text"].casefold().split())
    if one_chunk or any(" ".join(a.casefold().split()) in text for a in query["answers"]):
        return True
    return None


def _chunks(document: dict[str, Any]) -> tuple[Chunk, ...]:
    parts = document.get("parts") or [Part(document["text"])]
    return tuple(chunk_parts(parts, document.get("format", "text")))


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
    question = query.get("rewrite") or query["text"]
    hits = collection.search(question, RETRIEVED)
    parsed = parse_question(question, collection)
    pool = collection.search(parsed["text"], POOL)
    if not hits:
        return None
    return Asked(
        set_name=corpus.name,
        size=corpus.size,
        foreign=foreign,
        absent=query.get("kind") in ("absent", "near-miss"),
        labels=[False] * len(hits) if foreign else _labels(query, hits, collection),
        chunks=[chunk_features(hit, pool) for hit in hits],
        in_domain=in_domain_features(parsed, pool, collection.chunk_count),
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
