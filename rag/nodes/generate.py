"""generate: drafts an answer whose every part names the passages it rests on."""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.citations.check import check_draft, is_about
from rag.context import relevant_first
from rag.dependencies import Dependencies
from rag.engines.protocol import Generated, GenerateRequest
from rag.nodes.update import Update
from rag.reading.snippets import snippet_at
from state.answer import Citation
from state.graph_state import GraphState


def generate(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    relevant = [grade["confidence"] for grade in state["grades"].values() if grade["relevant"]]
    request = GenerateRequest(
        question=state["standalone_question"],
        typed=state["question"],
        parts=state["parts"],
        documents=relevant_first(state["documents"], state["grades"]),
        passages=state["passages"],
        context=state["context"],
        history=state["timeline"],
        feedback=tuple(state["scratchpad"]) if state["generation_retries"] else (),
        draft=state["draft"] if state["generation_retries"] else (),
        confidence=max(filter(None, relevant), default=None),
    )

    def emit(text: str) -> None:
        runtime.stream_writer({"event": "token", "text": text})

    result = deps.engine.generate(request, emit)
    return {
        **_refused(result, state, deps),
        "draft": list(result.parts),
        "missing": list(result.missing),
        "complete": result.complete,
        "warnings": [*state["warnings"], *result.warnings],
    }


def _refused(result: Generated, state: GraphState, deps: Dependencies) -> Update:
    """What the engine says in place of an answer, unless it speaks of what is in no document, and
    where its quotes stand.
    """
    if not result.refusal:
        return {"refusal": None, "nearest": []}
    said = check_draft(result.refusal, state["context"], state["standalone_question"])
    excerpts = {e["chunk_id"]: e for each in state["context"] for e in each["excerpts"]}
    nearest: dict[tuple[str, int], Citation] = {}
    for place in said.citations:
        found = snippet_at(excerpts[place["chunk_id"]], place["start_char"], deps.reader)
        if found is not None:
            nearest.setdefault((found["source"], found["start_char"]), found)
    proved = all(
        each.verdict == "verified" or is_about(part, state["context"], state["standalone_question"])
        for part, each in zip(said.parts, said.verdicts, strict=True)
    )
    words = " ".join(part["text"] for part in result.refusal) if proved else ""
    return {"refusal": words, "nearest": [*nearest.values()]}
