"""One query through the real pipeline, as far as a stage goes, and its measurement."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rag.evaluate.datasets import Judgement, Query
from rag.evaluate.metrics import contains
from rag.question.parts import read_parts
from state.answer import Answer, GradedChunk
from state.choices import EvaluationStage
from state.graph_state import GraphState, fresh
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from rag.session import Session

DEEPEST_K = 20
_HITS = 60


class GradedPair(NamedTuple):
    """The truth beside a grade."""

    true: bool
    decided: bool
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Measurement:
    """`ranking` holds the sources for the stand-alone question, at least 20 if there are as many;
    `known[n]` are the sources known after loop n, best grade first; `cited` has each citation's
    source, and whether its quote is the document's text at its offsets.
    """

    query: Query
    ranking: list[str]
    graded: Sequence[GradedPair] = ()
    answer: Answer | None = None
    known: Sequence[list[str]] = ()
    cited: Sequence[tuple[str, bool]] = ()
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Measurer:
    """Measures the queries of a dataset in a session; `name_of` gives the dataset's name of a
    source. With `grade_queries` (without a grading.jsonl) the truth of a grade is taken from
    `relevant`.
    """

    session: Session
    name_of: Callable[[str], str]
    stage: EvaluationStage
    grade_queries: bool

    def query(self, query: Query) -> Measurement:
        began = time.perf_counter()
        answer: Answer | None = None
        standalone, turns = query.text, query.history
        if self.stage is EvaluationStage.FULL:
            answer = self.session.ask(query.text, history=turns)
            standalone = answer["standalone_question"]
        elif turns:
            standalone = self.session.engine.contextualize(query.text, turns).question
        answered = time.perf_counter()
        hits = self._search(standalone, lambda found: len(self._named(found)) >= DEEPEST_K)
        ended = time.perf_counter() if answer is None else answered
        return Measurement(
            query=query,
            ranking=self._named(hits),
            graded=list(self._graded(query, standalone, hits, answer)),
            answer=answer,
            known=list(self._known(answer)) if answer else (),
            cited=list(self._cited(answer)) if answer else (),
            milliseconds=(ended - began) * 1000,
        )

    def judged(self, question: str, judged: Sequence[Judgement]) -> list[GradedPair]:
        """The grades of one question's judged documents, each by its best chunk."""
        wanted = {judgement.doc_id: judgement.relevant for judgement in judged}
        hits = self._search(question, lambda found: wanted.keys() <= {*self._named(found)})
        best = {self.name_of(hit["source"]): hit for hit in reversed(hits)}
        found = {name: best[name] for name in wanted if name in best}
        grades = self._grade(question, list(found.values()), hits[: self.session.settings.k])
        return [GradedPair(wanted[name], *grades[hit["chunk_id"]]) for name, hit in found.items()]

    def _named(self, hits: Iterable[RetrievedChunk | GradedChunk]) -> list[str]:
        """The documents of the chunks by the dataset's names, each once."""
        return list(dict.fromkeys(self.name_of(hit["source"]) for hit in hits))

    def _search(
        self, query: str, enough: Callable[[list[RetrievedChunk]], bool]
    ) -> list[RetrievedChunk]:
        """As many chunks as it takes until they are `enough`, or all there are."""
        k = _HITS
        while True:
            hits = self.session.reader.search(query, k)
            if enough(hits) or len(hits) < k:
                return hits
            k *= 4

    def _graded(
        self, query: Query, asked: str, hits: Sequence[RetrievedChunk], answer: Answer | None
    ) -> Iterator[GradedPair]:
        """The first loop's grades of an answerable query, whose truth is known."""
        graded = self.grade_queries and self.stage is not EvaluationStage.RETRIEVAL
        if not graded or not query.relevant:
            return
        first = list(hits[: self.session.settings.k])
        if answer is None:
            grades = self._grade(asked, first, first)
        else:
            loops = answer["loops"][:1]  # none where the question was small talk
            chunks = (chunk for loop in loops for chunk in loop["chunks"])
            grades = {c["chunk_id"]: (c["relevant"], c["confidence"]) for c in chunks}
        for hit in first:
            true = self._is_relevant(query, hit)
            if true is not None and hit["chunk_id"] in grades:
                yield GradedPair(true, *grades[hit["chunk_id"]])

    def _is_relevant(self, query: Query, hit: RetrievedChunk) -> bool | None:
        """Whether a chunk is relevant; None for one of a relevant document that holds no answer."""
        if self.name_of(hit["source"]) not in query.relevant:
            return False
        if query.answers and contains(hit["text"], query.answers):
            return True
        document = self.session.reader.document(hit["source"])
        return True if document is not None and document.chunk_count == 1 else None

    def _grade(
        self, question: str, chunks: Sequence[RetrievedChunk], context: Sequence[RetrievedChunk]
    ) -> dict[str, tuple[bool, float | None]]:
        """Relevance and confidence by chunk id; graded in batches as large as a loop's."""
        engine, together = self.session.engine, self.session.settings.k
        parts = read_parts(question, self.session.reader)
        result = {}
        for start in range(0, len(chunks), together):
            batch = list(chunks[start : start + together])
            seen = {chunk["chunk_id"]: chunk for chunk in (*context, *batch)}
            state = fresh(
                GraphState,
                standalone_question=question,
                parts=parts,
                documents=sorted(seen.values(), key=lambda chunk: -chunk["score"]),
                new_documents=[chunk["chunk_id"] for chunk in batch],
            )
            for grade in engine.grade(state).grades:
                result[grade["chunk_id"]] = (grade["relevant"], grade["confidence"])
        return result

    def _cited(self, answer: Answer) -> Iterator[tuple[str, bool]]:
        for cited in answer["citations"]:
            place = cited["source"], cited["start_char"], cited["end_char"]
            verbatim = self.session.reader.document_text(*place) == cited["quote"]
            yield self.name_of(cited["source"]), verbatim

    def _known(self, answer: Answer) -> Iterator[list[str]]:
        """The sources known after each loop, relevant ones first, by confidence."""
        known: dict[str, GradedChunk] = {}
        for loop in answer["loops"]:
            known = {chunk["chunk_id"]: chunk for chunk in loop["chunks"]} | known
            best = sorted(
                known.values(), key=lambda c: (not c["relevant"], -(c["confidence"] or 0.0))
            )
            yield self._named(best)
