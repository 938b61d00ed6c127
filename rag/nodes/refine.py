"""refine: what was retrieved is cut to what bears on the question: excerpts for a model, or the
snippets that are shown without one.

The grades decided that the documents hold something about it; of what was retrieved every chunk
may hold the place, and the ranking of excerpts says which does.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.evidence.refine import SHOWN_TO_A_MODEL
from rag.evidence.refine import refine as refine_chunks
from rag.nodes.update import Update
from rag.question.parts import QuestionPart
from rag.reading.meaning import Meaning
from rag.reading.snippets import snippet_passages
from state.graph_state import GraphState


def refine(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    documents = state["documents"]
    deps = runtime.context
    questions = [QuestionPart.of_state(part).question for part in state["parts"]]
    if deps.engine.model is None:
        meaning = Meaning(deps.settings.home)
        passages = snippet_passages(questions, documents, meaning, deps.reader)
    else:
        passages = refine_chunks(questions, documents, deps.reader, SHOWN_TO_A_MODEL)
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
            "chars_before": sum(len(document["text"]) for document in documents),
            "chars_after": sum(
                len(span["text"]) for passage in passages for span in passage["spans"]
            ),
        }
    )
    return {"passages": passages}
