"""refine: cuts what was retrieved to what the answer is made from.

That there is something to answer with was decided by the grades. A model is given the best chunks
by document, in page order; without a model the snippets likeliest to answer are picked.
"""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime

from rag.context import build_context, relevant_first, round_robin
from rag.dependencies import Dependencies
from rag.nodes.update import Update
from rag.reading.snippets import shown_snippets
from state.answer import Citation
from state.graph_state import GraphState
from state.passages import RetrievedChunk


def refine(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    documents = state["documents"]
    deps = runtime.context
    ordered = relevant_first(documents, state["grades"])
    kept: Sequence[RetrievedChunk | Citation]
    if deps.engine.model is not None:
        tokens = deps.settings.context_tokens
        if state["loop_count"] or state["web"] == "searched":  # there is more to choose from
            tokens = tokens * 3 // 2
        tokens = deps.engine.document_tokens(tokens)
        context = build_context(round_robin(ordered), deps.reader, tokens)
        kept = [held for each in context for held in each["excerpts"]]
        update: Update = {"context": context}
    else:
        questions = [part["question"] for part in state["parts"]]
        full = deps.settings.full
        passages = shown_snippets(questions, ordered, deps.reranker, deps.reader, full=full)
        kept = [each["located"] for each in passages]
        update = {"passages": passages}
    runtime.stream_writer(
        {
            "event": "refined",
            "chars_before": sum(len(document["text"]) for document in documents),
            "chars_after": sum(held["end_char"] - held["start_char"] for held in kept),
        }
    )
    return update
