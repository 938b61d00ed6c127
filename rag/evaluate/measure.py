"""One query through the real pipeline, as far as a stage goes, and its measurement."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rag.evaluate.datasets import Query
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
    source. With `grade_queries` the documents that come first are graded, and `relevant` tells
    which of them are.
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
        ranking = self._named(hits)
        nearest = ranking[: self.session.settings.k] if self.grade_queries else []
        wanted = {name: name in query.relevant for name in nearest if query.relevant}
        return Measurement(
            query=query,
            ranking=ranking,
            graded=self._graded(standalone, hits, wanted),
            answer=answer,
            known=list(self._known(answer)) if answer else (),
            cited=list(self._cited(answer)) if answer else (),
            milliseconds=(ended - began) * 1000,
        )

    def judged(self, question: str, wanted: Mapping[str, bool]) -> list[GradedPair]:
        """The grades of the documents that are judged relevant to a question, or not."""
        hits = self._search(question, lambda found: wanted.keys() <= {*self._named(found)})
        return self._graded(question, hits, wanted)

    def _graded(
        self, question: str, hits: Sequence[RetrievedChunk], wanted: Mapping[str, bool]
    ) -> list[GradedPair]:
        """Each document is graded by its best chunk."""
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
