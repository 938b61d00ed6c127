"""One query through the real pipeline, as far as a stage goes, and what it gave."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from rag.engines.protocol import GradeRequest
from rag.evaluate.datasets import Judgement, Query
from rag.evaluate.measurements import AnswerMeasurement, GradedPair, Measurement
from rag.evaluate.metrics import contains, token_f1, without_markers
from rag.index.protocol import CollectionReader
from rag.question.parts import read_parts
from state.answer import Answer, Citation, GradedChunk
from state.choices import EvaluationStage
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from rag.session import Session


class Sources:
    """The names that `relevant` uses, found again in what the collection calls its sources."""

    def __init__(self, reader: CollectionReader, names: Iterable[str], files: Path | None) -> None:
        self._reader = reader
        self._files = None if files is None else files.resolve()
        self._names = {PurePath(name).parts: name for name in names}
        self._found: dict[str, str] = {}

    def name(self, source: str) -> str:
        """The dataset's name of a source; the source itself where it has no other."""
        if source not in self._found:
            self._found[source] = self._look_up(source)
        return self._found[source]

    def names(self, sources: Iterable[str]) -> list[str]:
        """Distinct, in order."""
        return list(dict.fromkeys(map(self.name, sources)))

    def missing(self, names: Collection[str]) -> set[str]:
        """Those that the dataset names and that are neither in the corpus nor on the disk."""
        if self._files is not None:
            return {name for name in names if not (self._files / name).is_file()}
        return {name for name in names if self._reader.document(name) is None}

    def _look_up(self, source: str) -> str:
        document = self._reader.document(source)
        if self._files is not None and document is not None and document.path is not None:
            path = Path(document.path)
            if path.is_relative_to(self._files):
                return path.relative_to(self._files).as_posix()
        parts = PurePath(source).parts
        for start in range(len(parts)):
            if parts[start:] in self._names:
                return self._names[parts[start:]]
        return source


DEEPEST_K = 20
_HITS = 60

Grades = dict[str, tuple[bool, float | None]]
"""Relevant or not, and how surely, by chunk id."""


@dataclass(frozen=True, slots=True)
class Measurer:
    """Asks the queries of one dataset of one session. Where it shall `grade_queries` (without a
    grading.jsonl), the truth of a grade is taken from `relevant`.
    """

    session: Session
    sources: Sources
    stage: EvaluationStage
    grade_queries: bool

    def query(self, query: Query) -> Measurement:
        began = time.perf_counter()
        answer: Answer | None = None
        standalone = query.text
        if self.stage is EvaluationStage.FULL:
            answer = self.session.ask(query.text, history=query.history)
            standalone = answer["standalone_question"]
        elif query.history:
            standalone = self.session.engine.contextualize(query.text, query.history).question
        milliseconds = (time.perf_counter() - began) * 1000
        hits = self._search(standalone)
        if answer is None:
            milliseconds = (time.perf_counter() - began) * 1000
        return {
            "id": query.id,
            "relevant": list(query.relevant),
            "answerable": query.answerable,
            "has_answers": bool(query.answers),
            "standalone_question": standalone,
            "ranking": self.sources.names(hit["source"] for hit in hits),
            "raw_ranking": self._ranking(query.text if query.history else None),
            "rewrite_ranking": self._ranking(query.rewrite if query.history else None),
            "graded": self._graded(query, standalone, hits, answer),
            "answer": None if answer is None else self._answer(query, answer),
            "milliseconds": round(milliseconds, 3),
        }

    def judgements(self, judged: Sequence[Judgement]) -> Measurement:
        """The grades of one query's judged documents, each by its best chunk."""
        began = time.perf_counter()
        query = judged[0].query
        wanted = {judgement.document: judgement.relevant for judgement in judged}
        found: dict[str, RetrievedChunk] = {}
        hits: list[RetrievedChunk] = []
        for k in (_HITS, 10 * _HITS, self.session.reader.chunk_count):
            hits = self.session.reader.search(query.text, k)
            for hit in hits:
                name = self.sources.name(hit["source"])
                if name in wanted:
                    found.setdefault(name, hit)
            if len(found) == len(wanted) or len(hits) < k:
                break
        grades = self._grade(query.text, list(found.values()), hits[: self.session.settings.k])
        return {
            "id": f"grading:{query.id}",
            "relevant": [],
            "answerable": query.answerable,
            "has_answers": False,
            "standalone_question": query.text,
            "ranking": [],
            "raw_ranking": None,
            "rewrite_ranking": None,
            "graded": [_pair(grades[h["chunk_id"]], wanted[name]) for name, h in found.items()],
            "answer": None,
            "milliseconds": round((time.perf_counter() - began) * 1000, 3),
        }

    def _ranking(self, query: str | None) -> list[str] | None:
        if query is None:
            return None
        return self.sources.names(hit["source"] for hit in self._search(query))

    def _search(self, query: str) -> list[RetrievedChunk]:
        """Chunks of at least DEEPEST_K documents, where the collection has as many."""
        k = _HITS
        while True:
            hits = self.session.reader.search(query, k)
            if len({hit["source"] for hit in hits}) >= DEEPEST_K or len(hits) < k:
                return hits
            k *= 4

    def _graded(
        self,
        query: Query,
        standalone: str,
        hits: Sequence[RetrievedChunk],
        answer: Answer | None,
    ) -> list[GradedPair]:
        """The first loop's grades of an answerable query, whose truth is known."""
        graded = self.grade_queries and self.stage is not EvaluationStage.RETRIEVAL
        if not graded or not query.relevant:
            return []
        first = list(hits[: self.session.settings.k])
        if answer is None:
            grades = self._grade(standalone, first, first)
        else:
            grades = {
                chunk["chunk_id"]: (chunk["relevant"], chunk["confidence"])
                for chunk in answer["loops"][0]["chunks"]
            }
        return [
            _pair(grades[hit["chunk_id"]], true)
            for hit in first
            if hit["chunk_id"] in grades and (true := self._is_relevant(query, hit)) is not None
        ]

    def _is_relevant(self, query: Query, hit: RetrievedChunk) -> bool | None:
        """None where nobody knows: a relevant document's chunk that holds none of the answers."""
        if self.sources.name(hit["source"]) not in query.relevant:
            return False
        if query.answers and contains(hit["text"], query.answers):
            return True
        document = self.session.reader.document(hit["source"])
        return True if document is not None and document.chunk_count == 1 else None

    def _grade(
        self, question: str, chunks: Sequence[RetrievedChunk], context: Sequence[RetrievedChunk]
    ) -> Grades:
        """Grades by chunk id, asked for as many at a time as a loop retrieves."""
        engine, together = self.session.engine, self.session.settings.k
        parts = read_parts(question, self.session.reader)
        result: Grades = {}
        for start in range(0, len(chunks), together):
            batch = list(chunks[start : start + together])
            seen = {chunk["chunk_id"]: chunk for chunk in (*context, *batch)}
            request = GradeRequest(
                question=question,
                parts=parts,
                query=question,
                chunks=batch,
                earlier={},
                documents=sorted(seen.values(), key=lambda chunk: -chunk["score"]),
                may_rewrite=False,
            )
            for grade in engine.grade(request).grades:
                result[grade["chunk_id"]] = (grade["relevant"], grade["confidence"])
        return result

    def _answer(self, query: Query, answer: Answer) -> AnswerMeasurement:
        text = without_markers(answer["answer"])
        answered = answer["status"] != "abstained"
        usage = answer["usage"]
        return {
            "status": answer["status"],
            "contains": answered and contains(text, query.answers),
            "token_f1": token_f1(text, query.answers) if answered else 0.0,
            "citations": [
                {"source": self.sources.name(c["source"]), "verbatim": self._is_verbatim(c)}
                for c in answer["citations"]
            ],
            "loop_count": answer["loop_count"],
            "rankings": self._rankings(answer),
            "llm_calls": usage["llm_calls"],
            "input_tokens": usage["input_tokens"],
            "output_tokens": usage["output_tokens"],
            "cost_usd": usage["cost_usd"],
        }

    def _is_verbatim(self, citation: Citation) -> bool:
        place = citation["source"], citation["start_char"], citation["end_char"]
        quote = citation["quote"]
        return bool(quote) and self.session.reader.document_text(*place) == quote

    def _rankings(self, answer: Answer) -> list[list[str]]:
        """After each loop, the sources known so far: relevant ones first, by confidence."""
        known: dict[str, GradedChunk] = {}
        rankings = []
        for loop in answer["loops"]:
            for chunk in loop["chunks"]:
                known.setdefault(chunk["chunk_id"], chunk)
            best = sorted(
                known.values(), key=lambda c: (not c["relevant"], -(c["confidence"] or 0.0))
            )
            rankings.append(self.sources.names(chunk["source"] for chunk in best))
        return rankings


def _pair(grade: tuple[bool, float | None], true: bool) -> GradedPair:
    decided, confidence = grade
    return {"decided": decided, "true": true, "confidence": confidence}
