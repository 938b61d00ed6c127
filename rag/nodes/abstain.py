"""abstain: the documents do not hold an answer, said in words; a result, not an error."""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.answering.abstention import abstention_text
from rag.dependencies import Dependencies
from rag.nodes.update import Update
from state.graph_state import GraphState


def abstain(state: GraphState, runtime: Runtime[Dependencies]) -> Update:  # noqa: ARG001
    return {
        "generation": abstention_text(
            state["standalone_question"],
            [record["query"] for record in state["loops"]],
            state["documents"],
            state["grades"],
        ),
        "citations": [],
        "claims": [],
        "status": "abstained",
    }
