"""check_answer: every part is held against the quotes that it rests on, before anyone sees it.

A draft with a part whose quote cannot be located, or gives another number, goes back once a
question; what a model says that it was not given is searched for once; neither where one answer
takes a minute. The better of two drafts is kept. What its own quote contradicts is left out.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.budget import BudgetSpent
from rag.citations.check import CheckedDraft, check_draft, doubtful_parts, with_verdicts
from rag.dependencies import Dependencies
from rag.index.terms import terms
from rag.nodes.update import Update
from rag.question.parse import share
from state.answer import ClaimRecord, Status
from state.choices import Verifier
from state.graph_state import GraphState

MAX_RETRIES = 1
MOST_CALLS = 4
OF_A_LOOP = 2
"""Calls of a loop behind a reply: other queries, another answer."""
CORE = 0.5
"""Of the weight of a question's words; what is missing and holds more of them is what it asks."""


def check_answer(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    checked = check_draft(state["draft"], state["context"], state["standalone_question"])
    gaps = _not_in_documents(state)
    wrong = _wrong(checked)
    if gaps and not wrong and _may_search_again(state, deps):
        if checked.text:
            runtime.stream_writer({"event": "draft_rejected", "unsupported": []})
        return {**_found(checked), "gaps": gaps, "draft": [], "status": None}
    may_retry = (
        state["generation_retries"] < MAX_RETRIES
        and not state["gaps"]
        and state["budget_spent"] is None
        and state["complete"]
        and deps.engine.model is not None
        and not deps.engine.answers_once
    )
    if may_retry and wrong:
        runtime.stream_writer({"event": "draft_rejected", "unsupported": wrong})
        return {
            **_found(checked),
            "generation_retries": state["generation_retries"] + 1,
            "scratchpad": wrong,
            "status": None,
        }
    checked, spent = _verified(checked, state, deps)
    if _is_better(state["claims"], checked.claims, state):
        names = ("generation", "citations", "claims", "dropped")
        kept = {name: state[name] for name in names}  # type: ignore[literal-required]
        missing = state["gaps"] or state["missing"]
        kept |= {"missing": missing, "nearest": []}
        return {**spent, **kept, "status": _kept_status(state)}
    return {**spent, **_found(checked), "status": _status(checked, state)}


def _not_in_documents(state: GraphState) -> list[str]:
    """What a reply says that the documents do not hold, where that is all of the question or the
    core of a part of it.
    """
    if not state["draft"]:
        return state["missing"] or [state["standalone_question"]]
    held = {*terms(" ".join(state["missing"]))}
    asked = [part["question"]["weights"] for part in state["parts"]]
    return state["missing"] if any(share(weights, held) > CORE for weights in asked) else []


def _may_search_again(state: GraphState, deps: Dependencies) -> bool:
    """Once a question, where a model was not given all there is, a loop is left and no more than
    `MOST_CALLS` calls are made in all.
    """
    given = sum(len(document["excerpts"]) for document in state["context"])
    before = state["gaps"] or state["generation_retries"] or state["budget_spent"] is not None
    return (
        state["complete"]
        and not deps.engine.answers_once
        and 0 < given < deps.reader.chunk_count
        and not before
        and state["loop_count"] < state["max_loops"]
        and state["usage"]["llm_calls"] + OF_A_LOOP <= MOST_CALLS
    )


def _wrong(checked: CheckedDraft) -> list[str]:
    """The parts that are sent back, each with what is wrong with it."""
    lines = [
        f"{part['text']} ({verdict.reason})"
        for part, verdict in zip(checked.parts, checked.verdicts, strict=True)
        if verdict.verdict == "contradicted" or not (verdict.citations or verdict.claims_nothing)
    ]
    return [line[:1_000] for line in lines]


def _found(checked: CheckedDraft) -> Update:
    return {
        "generation": checked.text,
        "citations": checked.citations,
        "claims": checked.claims,
        "dropped": checked.dropped,
    }


def _is_better(old: list[ClaimRecord], new: list[ClaimRecord], state: GraphState) -> bool:
    """Whether an earlier draft is the better one; also where the budget ended before another. Of
    what was answered to another search, one that has a place and lacks less is better.
    """
    cut_short = state["budget_spent"] is not None
    cited = any(each["citations"] for each in new)
    lacks_less = cited and len(state["missing"]) < len(state["gaps"])
    return bool(old) and (cut_short or (_worth(old) > _worth(new) and not lacks_less))


def _worth(claims: list[ClaimRecord]) -> tuple[int, int]:
    """What has a place counts for a draft, what has none or is contradicted against it."""
    cited = sum(bool(claim["citations"]) for claim in claims)
    return min(cited, 1), cited - 2 * (len(claims) - cited)


def _status(checked: CheckedDraft, state: GraphState) -> Status:
    if not checked.text:
        return "abstained"
    whole = state["complete"] and not state["missing"] and not checked.dropped
    return "answered" if whole and not checked.uncited else "partial"


def _kept_status(state: GraphState) -> Status:
    """Of the first draft, which was the better of the two, and lacked a part."""
    return "partial" if state["generation"] else "abstained"


def _verified(
    checked: CheckedDraft, state: GraphState, deps: Dependencies
) -> tuple[CheckedDraft, Update]:
    """What a model says of the parts in doubt, where the person wants that and there is one."""
    asks = deps.settings.verify is Verifier.MODEL and state["budget_spent"] is None
    doubtful = doubtful_parts(checked) if asks and deps.engine.model is not None else {}
    if not doubtful:
        return checked, {}
    claims, quotes = zip(*doubtful.values(), strict=True)
    try:
        got = deps.engine.verify(claims, quotes)
    except BudgetSpent as ended:
        return checked, {"budget_spent": str(ended)}
    return with_verdicts(checked, got.supported), {"warnings": [*state["warnings"], *got.warnings]}
