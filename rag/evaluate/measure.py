"""One query through the real pipeline, as far as a stage goes, and what it gave."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.engines.protocol import GradeRequest
from rag.evaluate.datasets import Judgement, Query
from rag.evaluate.measurements import AnswerMeasurement, CitationCheck, GradedPair, Measurement
from rag.evaluate.overlap import contains, token_f1, without_markers
from rag.evaluate.sources import Sources
from rag.question.parts import read_parts
from state.answer import Answer, Citation, GradedChunk
from state.choices import EvaluationStage
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from rag.session import Session

DEEPEST_K = 20
_HITS = 60

Grades = dict[str, tuple[bool, float | None]]
"""Relevant or not, and how surely, by chunk id."""


class Measurer:
    """Asks the queries of one dataset of one session."""

    def __init__(
        self, session: Session, sources: Sources, stage: EvaluationStage, *, grade_queries: bool
    ) -> None:
        self._session = session
        self._reader = session.reader
        self._sources = sources
        self._stage = stage
        # Without grading.jsonl the truth of a grade is taken from `relevant`.
        self._grade_queries = grade_queries

    def query(self, query: Query) -> Measurement:
        began = time.perf_counter()
        answer: Answer | None = None
        standalone = query.text
        if self._stage is EvaluationStage.FULL:
            answer = self._session.ask(query.text, history=query.history)
            standalone = answer["standalone_question"]
        elif query.history:
            standalone = self._session.engine.contextualize(query.text, query.history).question
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
            "ranking": self._sources.names(hit["source"] for hit in hits),
            "raw_ranking": self._ranking(query.text if query.history else None),
            "rewrite_ranking": self._ranking(query.rewrite if query.history else None),
            "graded": self._graded(query, standalone, hits, answer),
            "answer": None if answer is None else self._answer(query, answer),
            "milliseconds": round(milliseconds, 3),
        }

    def judgements(self, query: Query, judged: Sequence[Judgement]) -> Measurement:
        """The grades of one query's judged documents, each by its best chunk."""
        began = time.perf_counter()
        wanted = {judgement.document: judgement.relevant for judgement in judged}
        found: dict[str, RetrievedChunk] = {}
        hits: list[RetrievedChunk] = []
        for k in (_HITS, 10 * _HITS, self._reader.chunk_count):
            hits = self._reader.search(query.text, k)
            for hit in hits:
                name = self._sources.name(hit["source"])
                if name in wanted:
                    found.setdefault(name, hit)
            if len(found) == len(wanted) or len(hits) < k:
                break
        grades = self._grade(query.text, list(found.values()), hits[: self._session.settings.k])
        graded: list[GradedPair] = []
        for name, hit in found.items():
            decided, confidence = grades[hit["chunk_id"]]
            graded.append({"decided": decided, "true": wanted[name], "confidence": confidence})
        return {
            "id": f"grading:{query.id}",
            "relevant": [],
            "answerable": query.answerable,
            "has_answers": False,
            "standalone_question": query.text,
            "ranking": [],
            "raw_ranking": None,
            "rewrite_ranking": None,
            "graded": graded,
            "answer": None,
            "milliseconds": round((time.perf_counter() - began) * 1000, 3),
        }

    def _ranking(self, query: str | None) -> list[str] | None:
        if query is None:
            return None
        return self._sources.names(hit["source"] for hit in self._search(query))

    def _search(self, query: str) -> list[RetrievedChunk]:
        """Chunks of at least DEEPEST_K documents, where the collection has as many."""
        k = _HITS
        while True:
            hits = self._reader.search(query, k)
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
        if (
            self._stage is EvaluationStage.RETRIEVAL
            or not self._grade_queries
            or not query.relevant
        ):
            return []
        first = list(hits[: self._session.settings.k])
        if answer is None:
            grades = self._grade(standalone, first, first)
        else:
            grades = {
                chunk["chunk_id"]: (chunk["relevant"], chunk["confidence"])
                for chunk in answer["loops"][0]["chunks"]
            }
        pairs: list[GradedPair] = []
        for hit in first:
            true = self._is_relevant(query, hit)
            if true is not None and hit["chunk_id"] in grades:
                decided, confidence = grades[hit["chunk_id"]]
                pairs.append({"decided": decided, "true": true, "confidence": confidence})
        return pairs

    def _is_relevant(self, query: Query, hit: RetrievedChunk) -> bool | None:
        """None where nobody knows: a relevant document's chunk that holds none of the answers."""
        if self._sources.name(hit["source"]) not in query.relevant:
            return False
        if query.answers and contains(hit["text"], query.answers):
            return True
        document = self._reader.document(hit["source"])
        return True if document is not None and document.chunk_count == 1 else None

    def _grade(
        self, question: str, chunks: Sequence[RetrievedChunk], context: Sequence[RetrievedChunk]
    ) -> Grades:
        """Grades by chunk id, asked for as many at a time as a loop retrieves."""
        engine, together = self._session.engine, self._session.settings.k
        parts = read_parts(question, self._reader)
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
                CitationCheck(
                    source=self._sources.name(citation["source"]),
                    verbatim=self._is_verbatim(citation),
                )
                for citation in answer["citations"]
            ],
            "loop_count": answer["loop_count"],
            "rankings": self._rankings(answer),
            "llm_calls": usage["llm_calls"],
            "input_tokens": usage["input_tokens"],
            "output_tokens": usage["output_tokens"],
            "cost_usd": usage["cost_usd"],
            "calls_by_node": {n: u["llm_calls"] for n, u in usage["by_node"].items()},
            "tokens_by_node": {
                n: u["input_tokens"] + u["output_tokens"] for n, u in usage["by_node"].items()
            },
            "timings_ms": dict(answer["timings_ms"]),
        }

    def _is_verbatim(self, citation: Citation) -> bool:
        place = citation["source"], citation["start_char"], citation["end_char"]
        quote = citation["quote"]
        return bool(quote) and self._reader.document_text(*place) == quote

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
            rankings.append(self._sources.names(chunk["source"] for chunk in best))
        return rankings
