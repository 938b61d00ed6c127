"""refine: what was retrieved is cut to what the answer is made from.

The grades decided that the documents hold something about it. A model is given the best chunks by
document, in page order; without one the snippets are shown that answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from langgraph.runtime import Runtime

from rag.context import by_turns, context_of, in_order
from rag.dependencies import Dependencies
from rag.nodes.update import Update
from rag.question.parts import QuestionPart
from rag.reading.meaning import Meaning
from rag.reading.snippets import shown_snippets
from state.answer import Snippet
from state.graph_state import GraphState
from state.passages import ContextDocument, RetrievedChunk

if TYPE_CHECKING:
    from state.events import KeptSpans


def refine(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    documents = state["documents"]
    deps = runtime.context
    ordered = in_order(documents, state["grades"])
    if deps.engine.model is not None:
        tokens = deps.settings.context_tokens
        context = context_of(by_turns(ordered), deps.reader, tokens)
        _tell(runtime, documents, _given(context))
        if state["budget_spent"] is None:
            return {"context": context}
    questions = [QuestionPart.of_state(part).question for part in state["parts"]]
    meaning = Meaning(deps.settings.home)
    full = deps.settings.full
    passages = shown_snippets(questions, ordered, meaning, deps.reader, full=full)
    if deps.engine.model is None:
        _tell(runtime, documents, _kept(passages))
    return {"passages": passages}


def _given(context: Sequence[ContextDocument]) -> list[tuple[KeptSpans, int]]:
    return [
        (
            {
                "chunk_id": excerpt["chunk_id"],
                "source": document["source"],
                "spans": [(excerpt["start_char"], excerpt["end_char"])],
            },
            len(excerpt["text"]),
        )
        for document in context
        for excerpt in document["excerpts"]
    ]


def _kept(snippets: Sequence[Snippet]) -> list[tuple[KeptSpans, int]]:
    return [
        (
            {
                "chunk_id": each["chunk_id"],
                "source": each["source"],
                "spans": [(each["start_char"], each["end_char"])],
            },
            len(each["quote"]),
        )
        for each in (snippet["located"] for snippet in snippets)
    ]


def _tell(
    runtime: Runtime[Dependencies],
    documents: Sequence[RetrievedChunk],
    kept: Sequence[tuple[KeptSpans, int]],
) -> None:
    runtime.stream_writer(
        {
            "event": "refined",
            "passages": [spans for spans, _ in kept],
            "chars_before": sum(len(document["text"]) for document in documents),
            "chars_after": sum(characters for _, characters in kept),
        }
    )
