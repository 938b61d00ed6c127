"""grade_documents: grades the chunks that are new in this loop, then decides what comes next.

A chunk is graded once a question. A loop that found nothing new asks the engine nothing.
"""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.engines.protocol import Graded
from rag.nodes.update import BETWEEN_QUERIES, Update
from rag.routes import decide
from state.answer import GradedChunk, LoopRecord
from state.graph_state import GraphState, picked
from state.passages import Grade


def grade_documents(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    graded = Graded(grades=(), sufficient=state["sufficient"])
    if state["new_documents"]:
        graded = runtime.context.engine.grade(state)
    grades = {**state["grades"], **{grade["chunk_id"]: grade for grade in graded.grades}}
    by_model = any(grade["grader"] == "model" for grade in grades.values())
    found: Update = {
        "grades": grades,
        "sufficient": graded.sufficient,
        "model_decides": runtime.context.engine.model is not None and not by_model and bool(grades),
    }
    decision, reason = decide(cast("GraphState", {**state, **found}))
    loop, told, write = state["loop_count"], list(graded.grades), runtime.stream_writer
    write({"event": "graded", "loop": loop, "grades": told, "sufficient": graded.sufficient})
    write({"event": "decided", "loop": loop, "decision": decision, "reason": reason})
    query = BETWEEN_QUERIES.join(state["queries"])
    record: LoopRecord = {
        "loop": loop,
        "query": query,
        "new_chunks": len(state["new_documents"]),
        "decision": decision,
        "reason": reason,
        "chunks": _graded_chunks(state, grades),
    }
    parts = state["parts"]
    if graded.in_domain:
        estimated = zip(parts, graded.in_domain, strict=True)
        parts = [{**part, "in_domain": in_domain} for part, in_domain in estimated]
    return {
        **found,
        "parts": parts,
        "loops": [*state["loops"], record],
        "scratchpad": [f"Searched {query!r}: {reason}."],
        "warnings": [*state["warnings"], *graded.warnings],
    }


def _graded_chunks(state: GraphState, grades: dict[str, Grade]) -> list[GradedChunk]:
    sources = {document["chunk_id"]: document["source"] for document in state["documents"]}
    return [
        picked(GradedChunk, {**grades[chunk_id], "source": sources[chunk_id], "score": score})
        for chunk_id, score in state["retrieval_scores"].items()
        if chunk_id in grades
    ]
