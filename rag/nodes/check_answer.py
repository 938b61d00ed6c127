"""check_answer: every claim is held against its source before anyone sees it.

Unsupported claims send the draft back once a question; after that they are dropped.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.budget import BudgetSpent
from rag.citations.check import Checked, check
from rag.citations.verification import verify
from rag.dependencies import Dependencies
from rag.engines.protocol import ClaimChecker
from rag.nodes.update import Update
from state.graph_state import GraphState
from state.settings import Verifier
from state.usage import add_usage

MAX_RETRIES = 1


def check_answer(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    checked = check(state["draft"], state["passages"], runtime.context.reader)
    checked, spent = _verified(checked, state, runtime.context)
    may_retry = (
        state["generation_retries"] < MAX_RETRIES
        and state["budget_spent"] is None
        and runtime.context.engine.model is not None
    )
    if checked.unsupported and may_retry:
        runtime.stream_writer({"event": "draft_rejected", "unsupported": list(checked.unsupported)})
        return {
            **spent,
            "generation_retries": state["generation_retries"] + 1,
            "scratchpad": list(checked.unsupported),
            "status": None,
        }
    if not checked.citations:
        return {**spent, "status": "abstained"}
    whole = state["complete"] and not checked.unsupported
    dropped = len(checked.unsupported)
    words = "1 sentence was" if dropped == 1 else f"{dropped} sentences were"
    told = [f"{words} dropped: the sources do not support it."] if dropped else []
    return {
        **spent,
        "generation": checked.text,
        "citations": checked.citations,
        "status": "answered" if whole else "partial",
        "warnings": [*spent.get("warnings", state["warnings"]), *told],
    }


def _verified(checked: Checked, state: GraphState, deps: Dependencies) -> tuple[Checked, Update]:
    """What a model says of it too, where the person wants that and there is one."""
    wanted = deps.settings.verify is Verifier.MODEL and checked.citations
    if not wanted or not isinstance(deps.engine, ClaimChecker):
        return checked, {}
    try:
        verification = verify(checked, deps.engine)
    except BudgetSpent as ended:
        usage = add_usage(state["usage"], "check_answer", ended.usage)
        return checked, {"budget_spent": str(ended), "usage": usage}
    return verification.checked, {
        "usage": add_usage(state["usage"], "check_answer", verification.usage),
        "warnings": [*state["warnings"], *verification.warnings],
    }
