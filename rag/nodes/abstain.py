"""abstain: no sure answer; a result, not an error. What lies nearest is shown in its place."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.evidence.quotation import citation_of, likeliest_spans, shown_text
from rag.evidence.refine import refine
from rag.nodes.update import Update
from rag.question.parts import QuestionPart
from state.answer import Citation
from state.graph_state import GraphState
from state.passages import Span

NEAREST = 3
FOREIGN = 0.1
"""Below this probability that the collection knows of the matter, it is said to hold nothing."""
LONGEST = 200


def abstain(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    parts = [QuestionPart.of_state(part) for part in state["parts"]]
    reader = runtime.context.reader
    passages = refine([part.question for part in parts], state["documents"], reader, NEAREST)
    nearest = [
        (citation_of(marker, parts[span["part"]].question, passage, span, reader), span)
        for marker, (passage, span) in enumerate(likeliest_spans(passages)[:NEAREST], start=1)
    ]
    foreign = all(part.known is not None and part.known < FOREIGN for part in parts)
    return {
        "generation": _text(state["standalone_question"], nearest, foreign=foreign),
        "citations": [],
        "claims": [],
        "nearest": [citation for citation, _ in nearest],
        "status": "abstained",
    }


def _text(question: str, nearest: Sequence[tuple[Citation, Span]], *, foreign: bool) -> str:
    """What is said in place of an answer: unless all that was found is foreign to the question,
    the nearest passages under one line that says what they are.
    """
    asked = " ".join(question.split())
    asked = asked if len(asked) <= LONGEST else asked[: LONGEST - 1].rstrip() + "…"
    if foreign or not nearest:
        return f"The documents do not hold an answer to “{asked}”."
    said = f"Not sure that the documents answer “{asked}”. The nearest passages:"
    shown = (f"{shown_text(span)} [{citation['marker']}]" for citation, span in nearest)
    return "\n\n".join([said, *shown])
