"""Where the graph goes next: pure functions of the state, nothing else.

Only `decide` decides. The routers call it, and so do the nodes that change what the decision rests
on, to report it.
"""

from __future__ import annotations

from typing import Literal

from state.answer import Decision
from state.graph_state import GraphState

AfterContextualizing = Literal["retrieve", "record_turn"]
AfterGrading = Literal["refine", "transform_query", "search_web", "abstain", "record_turn"]
AfterRewriting = Literal["retrieve", "refine", "search_web", "abstain", "record_turn"]
AfterChecking = Literal["generate", "transform_query", "abstain", "record_turn"]


def decide(state: GraphState) -> tuple[Decision, str]:
    """The decision that follows from the grades so far, with the reason in words.

    A model that answers is asked, for better queries first where the passages look weak; what it
    says that it was not given is searched for, once.
    Without one the loop ends when what was found suffices, when the loops are spent, when a rewrite
    found no new chunk, or when there is no better query; what earlier loops found is always used.
    """
    if state["gaps"]:
        return _after_a_reply(state)
    relevant = sum(grade["relevant"] for grade in state["grades"].values())
    enough = "1 relevant chunk" if relevant == 1 else f"{relevant} relevant chunks"
    if state["sufficient"] and relevant:
        return "generate", f"{enough} can answer it"
    if state["model_decides"] and not _may_look_first(state):  # no rule of words refuses for it
        found = enough if relevant else "none is relevant"
        return "generate", f"{found} by code; the model decides"
    end: Decision = "generate" if relevant else "abstain"
    no_query = None if state["web"] == "searched" else state["no_query"]
    ended = _ended(state) if no_query is None else None
    if ended is not None:
        return end, f"{ended}; {enough} found"
    retrieved = len(state["retrieval_scores"])
    lacking = f"none of {retrieved} chunks is relevant" if retrieved else "nothing found"
    if relevant:
        lacking = f"{enough}, not enough to answer it"
    if no_query is not None:
        return end, f"{lacking}; no better query: {no_query}"
    return "transform_query", lacking


def _after_a_reply(state: GraphState) -> tuple[Decision, str]:
    if _has_new(state):
        return "generate", "more was found on what the model was not given"
    if state["generation"]:
        return "generate", "the answer stands: there is nothing new to read"
    return "abstain", "the model found no answer, and there is nothing new to read"


def _may_look_first(state: GraphState) -> bool:
    """Whether no other query was tried yet, and there is more than the question itself found."""
    given = {document["chunk_id"] for document in state["documents"]}
    more = any(chunk["chunk_id"] not in given for part in state["parts"] for chunk in part["pool"])
    untried = state["no_query"] is None and state["loop_count"] == 0 < state["max_loops"]
    return untried and more and state["web"] != "searched"


def _has_new(state: GraphState) -> bool:
    """Whether the last search found a chunk that no earlier one had, and it can still be read."""
    searched = state["no_query"] is None or state["web"] == "searched"
    return searched and state["ended_early"] is None and bool(state["new_documents"])


def _ended(state: GraphState) -> str | None:
    """Why no further loop may run, or None when one may."""
    if state["web"] == "searched":
        return "the web was searched too"
    if state["loop_count"] > 0 and not state["new_documents"]:
        return "the rewrite found nothing new"
    spent = state["loop_count"] >= state["max_loops"]
    return f"max_loops is {state['max_loops']}" if spent else None


def after_contextualizing(state: GraphState) -> AfterContextualizing:
    return "retrieve" if state["status"] is None else "record_turn"


def after_grading(state: GraphState) -> AfterGrading:
    match decide(state)[0]:
        case "generate" if state["gaps"] and not _has_new(state):
            return "record_turn"
        case "generate":
            found = any(grade["relevant"] for grade in state["grades"].values())
            return "search_web" if state["web"] == "allowed" and not found else "refine"
        case "transform_query":
            return "transform_query"
        case "abstain":
            return "search_web" if state["web"] == "allowed" else "abstain"


def after_rewriting(state: GraphState) -> AfterRewriting:
    """Retrieves with a new query; where there is none, goes on as after grading."""
    goes_on = state["no_query"] is None and state["ended_early"] is None
    step = "retrieve" if goes_on else after_grading(state)
    assert step != "transform_query", "without a better query there is no further loop"
    return step


def after_checking(state: GraphState) -> AfterChecking:
    """`status` is None when the draft was sent back or more is searched for, and "abstained" when
    no part of it could be kept.
    """
    if state["status"] is None:
        return "generate" if state["draft"] else "transform_query"
    return "abstain" if state["status"] == "abstained" else "record_turn"
