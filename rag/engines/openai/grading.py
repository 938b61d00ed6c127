"""grade_documents with a model: what code and cache cannot decide, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag.engines.openai.batch_judge import BatchJudge, Found
from rag.engines.openai.cache import GradeCache, key_of, pack, unpack
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import (
    GRADE,
    LONGEST_DOUBTFUL,
    LONGEST_GRADED,
    Messages,
    grade_messages,
)
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.openai.verdict_schemas import GRADE_FORM, Verdict, binary_score
from rag.engines.protocol import Engine, Graded, GradeRequest, same_query
from state.choices import GraderChoice
from state.errors import CragError
from state.passages import Grade, RetrievedChunk

MOST_DOUBTFUL = 4
"""Chunks that the model is asked about where code is not sure: a short prompt."""
MOST_ASKED = 2
"""Loops of a question in which it is asked so; further ones have found nothing twice."""


@dataclass(frozen=True, slots=True)
class Grading:
    """`local` orders what the model is then given (grader auto and local); with grader model the
    model is asked. `local` stands in for a model whose replies cannot be read.
    """

    chat: ChatModel
    judge: BatchJudge
    local: Engine
    cache: GradeCache
    choice: GraderChoice

    def close(self) -> None:
        self.judge.close()
        self.cache.close()

    def grade(self, request: GradeRequest, meter: UsageMeter) -> Graded:
        if self.choice in (GraderChoice.LOCAL, GraderChoice.AUTO):
            return self.local.grade(request)
        if not request.chunks:
            return Graded(grades=(), sufficient=False)
        return self._by_model(request, request.chunks, None, meter)

    def _by_model(
        self,
        request: GradeRequest,
        unclear: Sequence[RetrievedChunk],
        by_code: Graded | None,
        meter: UsageMeter,
    ) -> Graded:
        warnings: list[str] = list(by_code.warnings) if by_code else []
        keys = [self._key(request, [chunk]) for chunk in unclear]
        chunks = dict(zip(keys, unclear, strict=True))  # those of one text are asked about once
        # Sufficiency hangs on everything the model saw and everything known before.
        known = [c for c in request.documents if _relevant(c, request.earlier)]
        together = self._key(request, [*unclear, *known], "set")
        held = self._held([*keys, together], warnings)
        verdicts = {key: held[key] for key in chunks if key in held}
        sufficiency = held.get(together)

        new = [key for key in chunks if key not in verdicts]
        if new or sufficiency is None:
            known += [chunks[key] for key, verdict in verdicts.items() if verdict.value]
            longest = LONGEST_GRADED if by_code is None else LONGEST_DOUBTFUL
            asked = [chunks[key] for key in new]
            found = self._ask(request, asked, known, meter, longest) if new else Found()
            fresh = {new[item]: verdict for item, verdict in found.verdicts.items()}
            verdicts |= fresh
            sufficiency = _sufficiency(found) or Verdict(
                any(verdict.value for verdict in verdicts.values())
            )
            whole = len(verdicts) == len(chunks)
            self._keep(fresh | ({together: sufficiency} if whole else {}), warnings)
            if not whole:
                warnings.append(self._stand_in_warning(found))

        grades = {grade["chunk_id"]: grade for grade in (by_code.grades if by_code else ())}
        for key, chunk in zip(keys, unclear, strict=True):
            if (verdict := verdicts.get(key)) is not None:
                grades[chunk["chunk_id"]] = _grade(chunk, verdict)
        missing = [chunk for chunk in unclear if chunk["chunk_id"] not in grades]
        if missing:
            stand_in = self.local.grade(replace(request, chunks=missing))
            grades |= {grade["chunk_id"]: grade for grade in stand_in.grades}

        ordered = tuple(grades[chunk["chunk_id"]] for chunk in request.chunks)
        any_relevant = bool(known) or any(grade["relevant"] for grade in ordered)
        sufficient = any_relevant and (
            sufficiency.value or (by_code is not None and by_code.sufficient)
        )
        better = sufficiency.reason if sufficiency.reason and not sufficient else None
        if better and any(same_query(better, old) for old in (request.question, request.query)):
            better = None
        return Graded(
            grades=ordered,
            sufficient=sufficient,
            better_query=better,
            in_domain=by_code.in_domain if by_code else (),
            warnings=tuple(warnings),
        )

    def _ask(
        self,
        request: GradeRequest,
        chunks: Sequence[RetrievedChunk],
        known: Sequence[RetrievedChunk],
        meter: UsageMeter,
        longest: int,
    ) -> Found:
        extras = ("sufficient", "better_query") if request.may_rewrite else ("sufficient",)
        # Where code was in doubt the model's word is all that is needed, and soonest written.
        form = replace(GRADE_FORM, extras=extras, bare=longest == LONGEST_DOUBTFUL)

        def ask(items: Sequence[int]) -> Messages:
            return grade_messages(request.question, [chunks[i] for i in items], known, longest)

        return self.judge.judge(form, len(chunks), ask, meter)

    def _stand_in_warning(self, found: Found) -> str:
        if found.failure is not None:
            return f"{found.failure} Until then the local grader graded."
        return (
            f"{self.chat.who} gave no readable grade for some documents; "
            "the local grader graded them."
        )

    def _key(
        self, request: GradeRequest, chunks: Sequence[RetrievedChunk], kind: str = "one"
    ) -> str:
        kind = f"{kind} decided" if self.choice is GraderChoice.DECISIONS else kind
        texts = [chunk["text"] for chunk in chunks]
        return key_of(self.chat.name, f"{GRADE.version} {kind}", request.question, texts)

    def _held(self, keys: Sequence[str], warnings: list[str]) -> dict[str, Verdict]:
        try:
            values = self.cache.get(keys)
        except CragError as error:
            warnings.append(f"Kept grades could not be read: {error}")
            return {}
        read = {key: unpack(values.get(key)) for key in keys}
        return {key: verdict for key, verdict in read.items() if verdict is not None}

    def _keep(self, verdicts: Mapping[str, Verdict], warnings: list[str]) -> None:
        try:
            self.cache.put({key: pack(verdict) for key, verdict in verdicts.items()})
        except CragError as error:
            warnings.append(f"Grades could not be kept for next time: {error}")


def _relevant(chunk: RetrievedChunk, earlier: Mapping[str, Grade]) -> bool:
    grade = earlier.get(chunk["chunk_id"])
    return grade is not None and grade["relevant"]


def _sufficiency(found: Found) -> Verdict | None:
    """Whether the model called its documents sufficient, with its better query as reason."""
    score = binary_score(found.extras.get("sufficient"))
    query = found.extras.get("better_query")
    line = " ".join(query.split())[:400] if isinstance(query, str) else ""
    return None if score is None else Verdict(score, line or None)


def _grade(chunk: RetrievedChunk, verdict: Verdict) -> Grade:
    return {
        "chunk_id": chunk["chunk_id"],
        "relevant": verdict.value,
        "verdict": "correct" if verdict.value else "incorrect",
        "confidence": verdict.confidence,
        "reason": verdict.reason,
        "grader": "model",
    }
