"""refine: what was found is cut to what bears on the question: sentences for the local
engine, whole blocks for a model.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.answering.question import MAX_QUESTION
from rag.answering.refine import refine as refine_chunks
from rag.answering.whole_blocks import evidence_chunks, whole_blocks
from rag.dependencies import Dependencies
from rag.engines.local.mending import mend_spelling
from rag.nodes.update import Update
from state.graph_state import GraphState
from state.settings import GraderChoice


def refine(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    grades, reader = state["grades"], deps.reader
    graded = [document for document in state["documents"] if document["chunk_id"] in grades]
    question = mend_spelling(state["standalone_question"][:MAX_QUESTION], reader).text
    if deps.engine.model is None:
        relevant = [c for c in graded if grades[c["chunk_id"]]["relevant"]]
        passages = refine_chunks(question, relevant, grades, reader)
    else:
        denied_too = deps.settings.grader is GraderChoice.AUTO
        relevant = evidence_chunks(graded, grades, denied_too=denied_too)
        passages = whole_blocks(question, relevant, reader)
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
