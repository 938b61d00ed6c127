"""What both legs brought for a query, ranked by one measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from rag.index.coverage import best_window, named, okapi, term_weights
from rag.index.fusion import MEANT_WEIGHT, NAMED_WEIGHT, WINDOW_WEIGHT, fuse
from rag.index.language import in_language
from rag.index.names import name_words
from rag.index.repeats import Likeness, first_of_each, version_meant
from rag.index.terms import terms
from state.passages import RetrievedChunk, Signs, is_web


@dataclass(frozen=True, slots=True)
class Candidates:
    """Chunks by row, not scored yet.

    Attributes:
        cosine: of those whose vector is known, and of others that were compared.
        meant: how surely the query names a chunk's document.
        frequencies: in how many chunks of the collection each of the query's terms is.
        total: the collection's chunks.
        language: what the query was read in.
    """

    chunks: Mapping[int, RetrievedChunk]
    cosine: Mapping[int, float]
    meant: Mapping[int, float]
    frequencies: Mapping[str, int]
    total: int
    language: str

    def best(self, k: int) -> list[RetrievedChunk]:
        """The `k` best, scored, best first; of copies the best stands for all."""
        with in_language(self.language):
            return self._best(k)

    def _best(self, k: int) -> list[RetrievedChunk]:
        weights = term_weights(self.frequencies, self.total)
        words = {row: chunk_terms(chunk) for row, chunk in self.chunks.items()}
        lengths = [len(body) + len(head) for body, head in words.values()]
        average = max(sum(lengths), 1) / max(len(lengths), 1)
        counted = {
            row: score
            for row, (body, head) in words.items()
            if (score := okapi(weights, average, body, head))
        }
        fused, signs = fuse(counted, self.cosine), dict[int, Signs]()
        for row, (body, head) in words.items():
            window = best_window(weights, body, head)
            called = named(weights, terms(self.chunks[row]["title"] or ""))
            score = fused.get(row, 0.0) + WINDOW_WEIGHT * window + NAMED_WEIGHT * called
            bm25 = counted.get(row, 0.0)
            signs[row] = {"bm25": bm25, "window": window, "named": called, "fused": score}
        scores = {
            row: own["fused"] + MEANT_WEIGHT * self.meant.get(row, 0.0)
            for row, own in signs.items()
        }
        ranked = sorted(words, key=lambda row: (-scores[row], row))
        texts = {row: _likeness(chunk["text"], self.language) for row, chunk in self.chunks.items()}
        copies = first_of_each(ranked, texts, weights.keys())
        found = []
        for best in list(copies)[:k]:
            row, also = best, []
            if copies[best]:
                alike = [best, *copies[best]]
                sources = [self.chunks[copy]["source"] for copy in alike]
                place = version_meant(sources, self.frequencies.keys())
                row, also = alike[place], [*sources[:place], *sources[place + 1 :]]
            chunk = self.chunks[row]
            if elsewhere := {*also} - {chunk["source"]}:
                chunk["also"] = sorted(elsewhere)
            if best in self.meant:
                chunk["meant"] = min(self.meant[best], 1.0)
            chunk["score"] = scores[best]
            chunk["signs"] = signs[row]
            found.append(chunk)
        return found


def chunk_terms(chunk: RetrievedChunk) -> tuple[list[str], list[str]]:
    """The terms of a chunk and of what stands above it, its document's name first; what a page of
    the web is called is its author's choice.
    """
    called = () if is_web(chunk) else name_words(chunk["source"])
    head = [*called, chunk["title"] or "", chunk["heading"]]
    return terms(chunk["text"]), terms(" ".join(head))


@lru_cache(maxsize=512)
def _likeness(text: str, _language: str) -> Likeness:
    return Likeness.of(terms(text))
