"""generate: a draft whose every claim names the passages it rests on.

When the budget ends first, the fallback engine answers from what was already found.
"""

from __future__ import annotations

from dataclasses import replace

from langgraph.runtime import Runtime

from rag.budget import BudgetSpent
from rag.dependencies import Dependencies
from rag.engines.protocol import Emit, Generated, GenerateRequest
from rag.nodes.update import Update
from rag.question.parts import QuestionPart
from state.graph_state import GraphState
from state.usage import add_usage


def generate(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    relevant = [grade["confidence"] for grade in state["grades"].values() if grade["relevant"]]
    request = GenerateRequest(
        question=state["standalone_question"],
        parts=[QuestionPart.of_state(part) for part in state["parts"]],
        passages=state["passages"],
        history=state["timeline"],
        feedback=tuple(state["scratchpad"]) if state["generation_retries"] else (),
        draft="".join(claim["before"] + claim["shown"] for claim in state["draft"]).strip(),
        confidence=max(filter(None, relevant), default=None),
    )

    def emit(text: str) -> None:
        runtime.stream_writer({"event": "token", "text": text})

    spent = state["budget_spent"]
    if spent is None:
        try:
            result = deps.engine.generate(request, emit)
        except BudgetSpent as ended:
            spent = str(ended)
            runtime.stream_writer({"event": "draft_rejected", "unsupported": []})
            result = replace(_without_budget(deps, request, emit), usage=ended.usage)
    else:
        result = _without_budget(deps, request, emit)
    return {
        "draft": list(result.claims),
        "complete": result.complete,
        "budget_spent": spent,
        "usage": add_usage(state["usage"], "generate", result.usage),
        "warnings": [*state["warnings"], *result.warnings],
    }


def _without_budget(deps: Dependencies, request: GenerateRequest, emit: Emit) -> Generated:
    if deps.fallback is None:
        return Generated(text="", complete=False)
    return replace(deps.fallback.generate(request, emit), complete=False)
