"""Where the graph goes next: pure functions of what is known, nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from state.answer import Decision
from state.graph_state import GraphState

AfterContextualizing = Literal["retrieve", "record_turn"]
AfterGrading = Literal["refine", "transform_query", "search_web", "abstain"]
AfterRewriting = Literal["retrieve", "refine", "search_web", "abstain"]
AfterChecking = Literal["generate", "abstain", "record_turn"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a question's loops have found so far; `retrieved` and `new` are the last loop's."""

    sufficient: bool
    relevant: int
    retrieved: int
    new: int


def next_step(
    found: Found,
    *,
    loop_count: int,
    max_loops: int,
    budget_spent: str | None = None,
    from_web: bool = False,
) -> tuple[Decision, str]:
    """Decide after grading, with the reason in words.

    The loop ends when what was found suffices, when the loops or the budget are spent, or
    when a rewrite brought no unseen chunk; what earlier loops found is always used.
    """
    enough = "1 relevant chunk" if found.relevant == 1 else f"{found.relevant} relevant chunks"
    if found.sufficient and found.relevant:
        return "generate", f"{enough} can answer it"
    ended = _ended(found, loop_count, max_loops, budget_spent, from_web=from_web)
    if ended is not None:
        return ("generate" if found.relevant else "abstain"), f"{ended}; {enough} found"
    if found.relevant:
        return "transform_query", f"{enough}, not enough to answer it"
    what = f"none of {found.retrieved} chunks is relevant" if found.retrieved else "nothing found"
    return "transform_query", what


def _ended(
    found: Found, loop_count: int, max_loops: int, budget_spent: str | None, *, from_web: bool
) -> str | None:
    """Why no further loop may run, or None when one may."""
    if from_web:
        return "the web was searched too"
    if budget_spent is not None:
        return budget_spent.rstrip(".")
    if loop_count > 0 and found.new == 0:
        return "the rewrite found nothing new"
    if loop_count < max_loops:
        return None
    if max_loops == 0:
        return "no loop is allowed"
    return "the loop is spent" if max_loops == 1 else f"all {max_loops} loops are spent"


def after_contextualizing(state: GraphState) -> AfterContextualizing:
    return "retrieve" if state["status"] is None else "record_turn"


def after_grading(state: GraphState) -> AfterGrading:
    match state["loops"][-1]["decision"]:
        case "generate":
            return "refine"
        case "transform_query":
            return "transform_query"
        case "abstain":
            return _web_or_abstain(state)


def after_rewriting(state: GraphState) -> AfterRewriting:
    match state["loops"][-1]["decision"]:
        case "generate":
            return "refine"
        case "transform_query":
            return "retrieve"
        case "abstain":
            return _web_or_abstain(state)


def _web_or_abstain(state: GraphState) -> Literal["search_web", "abstain"]:
    return "search_web" if state["web"] == "allowed" else "abstain"


def after_checking(state: GraphState) -> AfterChecking:
    """`status` is None while the draft was sent back, and "abstained" when nothing held."""
    if state["status"] is None:
        return "generate"
    return "abstain" if state["status"] == "abstained" else "record_turn"
