"""check_answer: every part is held against the quotes that it rests on, before anyone sees it.

A draft with a part whose quote cannot be located, or gives another number, goes back once a
question; then the better of the two is kept. What its own quote contradicts is left out.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.budget import BudgetSpent
from rag.citations.check import Checked, check
from rag.dependencies import Dependencies
from rag.engines.protocol import ClaimChecker
from rag.nodes.update import Update
from state.answer import ClaimRecord, Status, add_usage
from state.choices import Verifier
from state.graph_state import GraphState

MAX_RETRIES = 1
MOST_CALLS = 4
AFTER_REFUSAL = 2
"""Calls of a loop behind a refusal: other queries, another answer."""


def check_answer(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    if _may_search_again(state, deps):
        return {"refused": True, "status": None}
    checked = check(state["draft"], state["context"], state["standalone_question"])
    wrong = _wrong(checked)
    may_retry = (
        state["generation_retries"] < MAX_RETRIES
        and not state["refused"]
        and state["budget_spent"] is None
        and state["complete"]
        and deps.engine.model is not None
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
    if state["generation_retries"] and _worth(state["claims"]) > _worth(checked.claims):
        names = ("generation", "citations", "claims", "dropped")
        kept = {name: state[name] for name in names}  # type: ignore[literal-required]
        return {**spent, **kept, "status": _kept_status(state)}
    return {**spent, **_found(checked), "status": _status(checked, state)}


def _may_search_again(state: GraphState, deps: Dependencies) -> bool:
    """Once a question, where a model refused that was not given all there is, a loop is left and no
    more than `MOST_CALLS` calls are made in all.
    """
    given = sum(len(document["excerpts"]) for document in state["context"])
    refuses = not state["draft"] and state["complete"] and bool(state["context"])
    before = state["refused"] or state["generation_retries"] or state["budget_spent"] is not None
    return (
        refuses
        and not before
        and given < deps.reader.chunk_count
        and state["loop_count"] < state["max_loops"]
        and state["usage"]["llm_calls"] + AFTER_REFUSAL <= MOST_CALLS
    )


def _wrong(checked: Checked) -> list[str]:
    """The parts that are sent back, each with what is wrong with it."""
    told = [
        f"{part['text']} ({finding.reason})"
        for part, finding in zip(checked.parts, checked.findings, strict=True)
        if finding.verdict == "contradicted" or not (finding.citations or finding.asks)
    ]
    return [line[:1_000] for line in told]


def _found(checked: Checked) -> Update:
    return {
        "generation": checked.text,
        "citations": checked.citations,
        "claims": checked.claims,
        "dropped": checked.dropped,
    }


def _worth(claims: list[ClaimRecord]) -> tuple[int, int]:
    """What has a place counts for a draft, what has none or is contradicted against it."""
    cited = sum(bool(claim["citations"]) for claim in claims)
    return min(cited, 1), cited - 2 * (len(claims) - cited)


def _status(checked: Checked, state: GraphState) -> Status:
    if not checked.text:
        return "abstained"
    whole = state["complete"] and not state["missing"] and not checked.dropped
    return "answered" if whole and not checked.open else "partial"


def _kept_status(state: GraphState) -> Status:
    """Of the first draft, which was the better of the two, and was sent back for a part."""
    return "partial" if state["generation"] else "abstained"


def _verified(checked: Checked, state: GraphState, deps: Dependencies) -> tuple[Checked, Update]:
    """What a model says of the parts in doubt, where the person wants that and there is one."""
    asks = deps.settings.verify is Verifier.MODEL and state["budget_spent"] is None
    if not (asks and isinstance(deps.engine, ClaimChecker)):
        return checked, {}
    from rag.citations.verification import heard, in_doubt

    doubtful = in_doubt(checked)
    if not doubtful:
        return checked, {}
    claims, quotes = zip(*doubtful.values(), strict=True)
    try:
        said = deps.engine.verify(claims, quotes)
    except BudgetSpent as ended:
        usage = add_usage(state["usage"], "check_answer", ended.usage)
        return checked, {"budget_spent": str(ended), "usage": usage}
    return heard(checked, said.supported), {
        "usage": add_usage(state["usage"], "check_answer", said.usage),
        "warnings": [*state["warnings"], *said.warnings],
    }
