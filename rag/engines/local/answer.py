"""An answer that is quoted: the likeliest excerpts, whole, each cited."""

from __future__ import annotations

from collections.abc import Sequence

from rag.engines.local.grader_model import grader_model
from rag.engines.protocol import Emit, Generated, GenerateRequest
from rag.evidence.quotation import (
    EXCERPTS_QUOTED,
    Quoted,
    likeliest_spans,
    quoted_parts,
    worth_quoting,
)
from state.answer import UNSURE
from state.answer_parts import AnswerPart

MOST_OF_A_PART = 2
NOT_FOUND = "Not found in the documents: “{}”."


def generate(request: GenerateRequest, emit: Emit) -> Generated:
    """Part by part, in their order; a part that the collection knows nothing of is named, and one
    that it may know little of is named and answered by what is nearest.
    """
    every = likeliest_spans(request.passages)
    most = EXCERPTS_QUOTED if len(request.parts) == 1 else MOST_OF_A_PART
    questions = [part.question for part in request.parts]
    parts: list[AnswerPart] = []
    warnings: list[str] = []
    shown: list[Quoted] = []
    for number, part in enumerate(request.parts):
        own = worth_quoting([pair for pair in every if pair[1]["part"] == number])
        known = part.in_domain is None or grader_model().is_in_domain(part.in_domain)
        if not known:
            told = UNSURE if part.is_near else NOT_FOUND
            warnings.append(told.format(part.question.text))
        if known or part.is_near:
            new = [pair for pair in own[:most] if not _is_shown(pair, shown)]
            shown += new
            parts += quoted_parts(questions, new)
    text = "\n\n".join(part["text"].rstrip() for part in parts)
    if text:
        emit(text)
    complete = not warnings
    sure = request.confidence
    if text and sure is not None and sure < grader_model().relevant:
        warnings.append("Not sure that this answers it: these are the nearest passages there are.")
    return Generated(tuple(parts), complete=complete, warnings=tuple(warnings))


def _is_shown(pair: Quoted, shown: Sequence[Quoted]) -> bool:
    """Whether any of it stands in the answer already, for a part before."""
    passage, span = pair
    return any(
        passage["number"] == other["number"]
        and span["start_char"] < quoted["end_char"]
        and quoted["start_char"] < span["end_char"]
        for other, quoted in shown
    )
