"""refine: cuts what was retrieved to what the answer is made from.

That there is something to answer with was decided by the grades. A model is given the best chunks
by document, in page order; without a model the snippets likeliest to answer are picked.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.context import build_context, relevant_first, round_robin
from rag.dependencies import Dependencies
from rag.nodes.update import Update
from rag.reading.snippets import shown_snippets
from state.answer import Citation
from state.graph_state import GraphState


def refine(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    if deps.engine.model is None:
        return {"passages": snippets_of_parts(state, deps)}
    tokens = deps.settings.context_tokens
    if state["gaps"] or state["web"] == "searched":  # there is more to choose from
        tokens = tokens * 3 // 2
    tokens = deps.engine.document_tokens(tokens)
    searches = [[each["chunk_id"] for each in loop["chunks"]] for loop in state["loops"]]
    ranked = relevant_first(round_robin(state["documents"], searches), state["grades"])
    return {"context": build_context(ranked, deps.reader, tokens, most=len(ranked))}


def snippets_of_parts(state: GraphState, deps: Dependencies) -> list[list[Citation]]:
    """The snippets of all that was retrieved for each part of the question."""
    found, full = state["documents"], deps.settings.full
    return [
        shown_snippets(part["question"], found, deps.reranker, deps.reader, full=full)
        for part in state["parts"]
    ]
