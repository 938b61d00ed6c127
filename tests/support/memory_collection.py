"""A CollectionReader over texts in memory: real terms, real vectors, no files."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from rag.embed.builtin import BuiltinEmbedder
from rag.index.terms import terms
from rag.text.blocks import blocks_of_text

DENSE_WEIGHT = 0.4


class MemoryCollection:
    """Each text is one document of one chunk, under its source."""

    def __init__(self, texts, titles=None, name="memory"):
        self.name = name
        self.embedder = BuiltinEmbedder()
        self.texts = dict(texts)
        self.titles = titles or {}
        self.sources = list(self.texts)
        self._postings = defaultdict(list)
        self._lengths = np.zeros(len(self.sources))
        for row, source in enumerate(self.sources):
            counts = Counter(terms(f"{self.titles.get(source) or ''}\n{self.texts[source]}"))
            self._lengths[row] = sum(counts.values())
            for term, count in counts.items():
                self._postings[term].append((row, count))
        self._vectors = self.embedder.embed_documents(
            [f"{self.titles.get(s) or ''}\n{self.texts[s]}" for s in self.sources]
        )

    @classmethod
    def from_corpus(cls, folder):
        """A benchmark set's corpus.jsonl."""
        lines = (Path(folder) / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        return cls(
            {row["id"]: row["text"] for row in rows},
            {row["id"]: row["title"] for row in rows},
            name=Path(folder).name,
        )

    @property
    def chunk_count(self):
        return len(self.sources)

    document_count = chunk_count

    dense_searched = "memory"

    def search(self, query, k):
        size, mean = len(self.sources), self._lengths.mean() if self.sources else 1.0
        lexical = np.zeros(size)
        for term in set(terms(query)):
            found = self._postings.get(term, [])
            idf = math.log(1 + (size - len(found) + 0.5) / (len(found) + 0.5))
            for row, count in found:
                norm = 1.2 * (0.25 + 0.75 * self._lengths[row] / mean)
                lexical[row] += idf * count * 2.2 / (count + norm)
        cosine = self._vectors @ self.embedder.embed_query(query)
        pool = np.union1d(np.argsort(-lexical)[:100], np.argsort(-cosine)[:100])
        spread = max(float(cosine[pool].max() - cosine[pool].mean()), 1e-9)
        fused = lexical[pool] / max(lexical.max(), 1e-9) + DENSE_WEIGHT * (
            (cosine[pool] - cosine[pool].mean()) / spread
        )
        best = np.argsort(-fused, kind="stable")[:k]
        return [
            self.chunk(
                self.sources[pool[i]],
                score=float(fused[i]),
                cosine=float(cosine[pool[i]]),
                bm25=float(lexical[pool[i]]),
                rank=rank,
            )
            for rank, i in enumerate(best, start=1)
        ]

    def chunk(self, source, *, score=1.0, cosine=None, bm25=None, rank=1):
        text = self.texts[source]
        return {
            "chunk_id": source,
            "source": source,
            "title": self.titles.get(source),
            "heading": "",
            "page": None,
            "start_line": 1,
            "end_line": text.count("\n") + 1,
            "start_char": 0,
            "end_char": len(text),
            "text": text,
            "blocks": blocks_of_text(text),
            "score": score,
            "dense_rank": rank,
            "lexical_rank": rank,
            "cosine": cosine,
            "bm25": bm25,
            "loop": 0,
        }

    def passage(self, source, number):
        """The whole text as one span."""
        chunk = self.chunk(source)
        return {**chunk, "number": number, "spans": [chunk]}

    def document_frequencies(self, wanted):
        return {term: len(self._postings.get(term, [])) for term in wanted}

    def similar_terms(self, word, limit):  # noqa: ARG002 - it knows no spellings
        return []

    def vectors(self, chunk_ids):
        rows = [self.sources.index(chunk_id) for chunk_id in chunk_ids]
        return self._vectors[rows]

    def document_text(self, source, start=0, end=None):
        text = self.texts.get(source)
        return None if text is None else text[start:end]
