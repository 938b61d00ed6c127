"""generate: drafts an answer whose every part names the passages it rests on."""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.citations.check import check_draft, names_another_matter
from rag.dependencies import Dependencies
from rag.engines.protocol import Generated
from rag.nodes.update import Update
from state.answer import Citation
from state.graph_state import GraphState


def generate(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    write = runtime.stream_writer
    result = runtime.context.engine.generate(
        state, lambda text: write({"event": "token", "text": text})
    )
    return {
        **_refused(result, state),
        "draft": list(result.parts),
        "missing": list(result.missing),
        "complete": result.complete,
        "warnings": [*state["warnings"], *result.warnings],
    }


def _refused(result: Generated, state: GraphState) -> Update:
    """What the engine says in place of an answer, unless a part of it rests on a quote that proves
    nothing or names what neither the question nor a document does, and where its quotes stand.
    """
    if not result.refusal:
        return {"refusal": None, "nearest": []}
    question = state["standalone_question"]
    said = check_draft(result.refusal, state["context"], question)
    nearest: list[Citation] = [{**each, "shown": each["quote"]} for each in said.citations]
    proved = all(
        each.verdict == "verified"
        or not (part["quotes"] or names_another_matter(part, state["context"], question))
        for part, each in zip(said.parts, said.verdicts, strict=True)
    )
    words = " ".join(part["text"] for part in result.refusal) if proved else ""
    return {"refusal": words, "nearest": nearest}
