"""grade_documents with a model, in one structured call; code stands in for what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel

from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import Messages, grade_messages, verify_messages
from rag.engines.openai.reply import Reply
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.openai.verdicts import (
    ClaimVerdict,
    DocumentGrade,
    binary,
    read_verdicts,
    sheet,
)
from rag.engines.protocol import Engine, Graded, GradeRequest, Verified, same_query
from state.errors import ModelAccessError, ModelError
from state.passages import Grade, RetrievedChunk
from state.wording import many

MOST_TOGETHER = 20
"""Documents that a model grades, the best of what was found; code grades the rest."""
ITEM, EXTRAS = 60, 100
"""Tokens of a verdict with its reason, and of what a reply holds besides."""


@dataclass(frozen=True, slots=True)
class Grading:
    """`local` stands in for a model whose replies cannot be read."""

    chat: ChatModel
    local: Engine

    def grade(self, request: GradeRequest, meter: UsageMeter) -> Graded:
        if not request.chunks:
            return Graded(grades=(), sufficient=False)
        known = [chunk for chunk in request.documents if _relevant(chunk, request.earlier)]
        asked = request.chunks[:MOST_TOGETHER]
        messages = grade_messages(request.question, asked, known)
        form = sheet("document", DocumentGrade, len(asked), extras=True)
        reply, failed = self._asked(messages, form, len(asked), meter)
        told = reply.fields()
        verdicts = read_verdicts("document", DocumentGrade, len(asked), told)
        if reply.text and not told:
            self.chat.unheeded()
        grades = {
            chunk["chunk_id"]: _grade(chunk, verdicts[number])
            for number, chunk in enumerate(asked, 1)
            if number in verdicts
        }
        missing = [chunk for chunk in request.chunks if chunk["chunk_id"] not in grades]
        by_code = self.local.grade(replace(request, chunks=missing)) if missing else None
        if by_code is not None:
            grades |= {grade["chunk_id"]: grade for grade in by_code.grades}
        ordered = tuple(grades[chunk["chunk_id"]] for chunk in request.chunks)
        any_relevant = bool(known) or any(grade["relevant"] for grade in ordered)
        warnings = (self._stand_in(failed),) if len(verdicts) < len(asked) else ()
        return Graded(
            grades=ordered,
            sufficient=any_relevant and _sufficient(told, default=any_relevant),
            better_query=_better_query(told, request),
            warnings=warnings,
        )

    def verify(self, claims: Sequence[str], quotes: Sequence[str], meter: UsageMeter) -> Verified:
        """Whether each claim is supported by the quote of the same place, in one call."""
        if not claims:
            return Verified(())
        messages = verify_messages(claims, quotes)
        reply, _ = self._asked(
            messages, sheet("claim", ClaimVerdict, len(claims)), len(claims), meter
        )
        found = read_verdicts("claim", ClaimVerdict, len(claims), reply.fields())
        missing = len(claims) - len(found)
        warnings = (f"{self.chat.who} did not check {many(missing, 'claim')}.",) if missing else ()
        verdicts = [found.get(number) for number in range(1, len(claims) + 1)]
        return Verified(
            tuple(None if each is None else each.supported for each in verdicts), warnings=warnings
        )

    def _asked(
        self, messages: Messages, form: type[BaseModel], count: int, meter: UsageMeter
    ) -> tuple[Reply, ModelError | None]:
        """An empty reply where there was none, with what failed."""
        try:
            return self.chat.ask(messages, meter, ITEM * count + EXTRAS, form), None
        except ModelAccessError:
            raise
        except ModelError as error:
            meter.failed = True
            return Reply(), error

    def _stand_in(self, failed: ModelError | None) -> str:
        if failed is not None:
            return f"{failed} Until then the local grader graded."
        return (
            f"{self.chat.who} gave no readable grade for some documents; "
            "the local grader graded them."
        )


def _relevant(chunk: RetrievedChunk, earlier: Mapping[str, Grade]) -> bool:
    grade = earlier.get(chunk["chunk_id"])
    return grade is not None and grade["relevant"]


def _sufficient(told: Mapping[str, object], *, default: bool) -> bool:
    try:
        return binary(told.get("sufficient"))
    except ValueError:
        return default


def _better_query(told: Mapping[str, object], request: GradeRequest) -> str | None:
    query = told.get("better_query")
    line = " ".join(query.split())[:400] if isinstance(query, str) else ""
    old = any(same_query(line, each) for each in (request.question, request.query))
    suffices = _sufficient(told, default=False)
    return line if line and request.may_rewrite and not (old or suffices) else None


def _grade(chunk: RetrievedChunk, verdict: DocumentGrade) -> Grade:
    return {
        "chunk_id": chunk["chunk_id"],
        "relevant": verdict.relevant,
        "verdict": "correct" if verdict.relevant else "incorrect",
        "confidence": None,
        "reason": verdict.reason or None,
        "grader": "model",
    }
