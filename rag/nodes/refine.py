"""refine: relevant chunks are cut to the sentences that bear on the question."""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.answering.question import MAX_QUESTION
from rag.answering.refine import refine as refine_chunks
from rag.dependencies import Dependencies
from rag.engines.local.mending import mend_spelling
from rag.nodes.update import Update
from state.graph_state import GraphState


def refine(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    found = {chunk_id for chunk_id, grade in state["grades"].items() if grade["relevant"]}
    relevant = [document for document in state["documents"] if document["chunk_id"] in found]
    reader = runtime.context.reader
    question = mend_spelling(state["standalone_question"][:MAX_QUESTION], reader).text
    passages = refine_chunks(question, relevant, state["grades"], reader)
    runtime.stream_writer(
        {
            "event": "refined",
            "passages": [
                {
                    "chunk_id": passage["chunk_id"],
                    "source": passage["source"],
                    "spans": [(span["start_char"], span["end_char"]) for span in passage["spans"]],
                }
                for passage in passages
            ],
            "chars_before": sum(len(document["text"]) for document in relevant),
            "chars_after": sum(
                len(span["text"]) for passage in passages for span in passage["spans"]
            ),
        }
    )
    return {"passages": passages}
