"""abstain: no sure answer; a result, not an error. What lies nearest is shown in its place."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from rag.citations.assembly import marked
from rag.citations.quotes import standing_quotes
from rag.dependencies import Dependencies
from rag.evidence.quotation import likeliest_spans, quoting_claims
from rag.evidence.refine import refine
from rag.nodes.update import Update
from rag.question.parts import QuestionPart
from state.answer import UNSURE, Citation
from state.draft_claims import DraftClaim
from state.graph_state import GraphState

NEAREST = 3
LONGEST = 200


def abstain(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    parts = [QuestionPart.of_state(part) for part in state["parts"]]
    reader = runtime.context.reader
    questions = [part.question for part in parts]
    passages = refine(questions, state["documents"], reader, NEAREST)
    claims = quoting_claims(questions, likeliest_spans(passages)[:NEAREST])
    quoted = [
        (quote, claim)
        for claim in claims
        for quote in standing_quotes(claim["quotes"], passages, reader)
    ]
    nearest: list[Citation] = [
        {**quote, "marker": marker} for marker, (quote, _) in enumerate(quoted, start=1)
    ]
    shown = [claim for _, claim in quoted] if any(part.is_near for part in parts) else []
    return {
        "generation": _text(state["standalone_question"], shown),
        "citations": [],
        "claims": [],
        "nearest": nearest,
        "status": "abstained",
    }


def _text(question: str, nearest: Sequence[DraftClaim]) -> str:
    """What is said in place of an answer: the nearest passages under one line that says what they
    are, where there are any.
    """
    asked = " ".join(question.split())
    asked = asked if len(asked) <= LONGEST else asked[: LONGEST - 1].rstrip() + "…"
    if not nearest:
        return f"The documents do not hold an answer to “{asked}”."
    said = f"{UNSURE.format(asked)} The nearest passages:"
    shown = (marked(claim, f"[{marker}]") for marker, claim in enumerate(nearest, start=1))
    return "\n\n".join([said, *shown])
