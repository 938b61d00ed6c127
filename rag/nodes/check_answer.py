"""check_answer: checks every part of a draft against the quotes that it rests on.

Once a question, a draft with a part whose quote cannot be located, or gives another number, is sent
back; and once, what the model says that it was not given is searched for. Neither is done where an
answer takes a minute. The better of two drafts is kept; parts that their own quote contradicts are
left out.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.budget import BudgetSpent
from rag.citations.check import CheckedDraft, check_draft, doubtful_parts, with_verdicts
from rag.dependencies import Dependencies
from rag.nodes.update import Update, ended_early
from state.answer import ClaimRecord, Status
from state.choices import Verifier
from state.errors import ModelError
from state.graph_state import GraphState

MAX_RETRIES = 1
LONGEST_CLAIM = 1_000
MOST_CALLS = 4
OF_A_LOOP = 2
"""The calls that a loop after a reply takes: one for other queries, one for another answer."""


def check_answer(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    checked = check_draft(state["draft"], state["context"], state["standalone_question"])
    if _may_answer_again(state, deps):
        if wrong := _wrong(checked):
            runtime.stream_writer({"event": "draft_rejected", "unsupported": wrong})
            retries = state["generation_retries"] + 1
            again: Update = {"generation_retries": retries, "scratchpad": wrong, "status": None}
            return {**_found(checked), **again}
        if (gaps := _not_in_documents(state)) and _may_search_again(state, deps):
            runtime.stream_writer({"event": "draft_rejected", "unsupported": []})
            return {**_found(checked), "gaps": gaps, "draft": [], "status": None}
    checked, spent = _verified(checked, state, deps)
    if _is_better(state["claims"], checked.claims, state):
        missing = state["gaps"] or state["missing"]
        status = "partial" if state["generation"] else "abstained"  # it lacked a part
        return {**spent, "missing": missing, "nearest": [], "status": status}
    return {**spent, **_found(checked), "status": _status(checked, state)}


def _may_answer_again(state: GraphState, deps: Dependencies) -> bool:
    """Whether a model gave a whole reply, nothing was tried again yet, and it is quick enough."""
    tried = state["gaps"] or state["ended_early"] is not None
    return (
        deps.engine.model is not None
        and not deps.engine.answers_once
        and state["complete"]
        and not tried
        and state["generation_retries"] < MAX_RETRIES
    )


def _not_in_documents(state: GraphState) -> list[str]:
    """What the model says that its documents lack; the question itself where it said no more.
    Where it finds nothing in what other queries found too, that stands.
    """
    if state["draft"]:
        return state["missing"]
    return [] if state["loop_count"] else state["missing"] or [state["standalone_question"]]


def _may_search_again(state: GraphState, deps: Dependencies) -> bool:
    """Whether the model was not given all chunks, a loop is left, and MOST_CALLS calls suffice."""
    given = sum(len(document["excerpts"]) for document in state["context"])
    return (
        0 < given < deps.reader.chunk_count
        and state["loop_count"] < state["max_loops"]
        and state["usage"]["llm_calls"] + OF_A_LOOP <= MOST_CALLS
    )


def _wrong(checked: CheckedDraft) -> list[str]:
    """The parts to send back, each with what is wrong with it."""
    claims = [claim for claim in checked.claims if not claim["citations"]]
    return [f"{claim['text']} ({claim['reason']})"[:LONGEST_CLAIM] for claim in claims]


def _found(checked: CheckedDraft) -> Update:
    return {
        "generation": checked.text,
        "citations": checked.citations,
        "claims": checked.claims,
        "dropped": checked.dropped,
    }


def _is_better(old: list[ClaimRecord], new: list[ClaimRecord], state: GraphState) -> bool:
    """Whether the old draft is to be kept: it is better, or there is no new one.
    After another search a new draft that is cited and lacks less is the better one.
    """
    if state["ended_early"] is not None:
        return bool(old)
    cited = any(each["citations"] for each in new)
    lacks_less = cited and len(state["missing"]) < len(state["gaps"])
    return bool(old) and _worth(old) > _worth(new) and not lacks_less


def _worth(claims: list[ClaimRecord]) -> tuple[int, int]:
    """Ranks drafts: cited claims count for one, uncited and contradicted claims against it."""
    cited = sum(bool(claim["citations"]) for claim in claims)
    return min(cited, 1), cited - 2 * (len(claims) - cited)


def _status(checked: CheckedDraft, state: GraphState) -> Status:
    if not checked.text:
        return "abstained"
    whole = state["complete"] and not state["missing"]
    cited = all(claim["citations"] for claim in checked.claims)
    return "answered" if whole and cited else "partial"


def _verified(
    checked: CheckedDraft, state: GraphState, deps: Dependencies
) -> tuple[CheckedDraft, Update]:
    """The draft with the model's verdicts on parts in doubt, if they are wanted, and an update."""
    asks = deps.settings.verify is Verifier.MODEL and state["ended_early"] is None
    doubtful = doubtful_parts(checked) if asks and deps.engine.model is not None else {}
    if not doubtful:
        return checked, {}
    claims, quotes = zip(*doubtful.values(), strict=True)
    try:
        got = deps.engine.verify(claims, quotes)
    except (BudgetSpent, ModelError) as ended:
        return checked, ended_early(ended)
    return with_verdicts(checked, got.supported), {"warnings": [*state["warnings"], *got.warnings]}
