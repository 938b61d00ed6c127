"""check_answer: every claim is verified against its sources before anyone sees it.

What is contradicted is left out. Only a draft without a verified claim and with a contradicted one
goes back, once a question; then the better of the two is kept. A draft without a verified claim is
shown with the passages that it cites. The passages that are likeliest to answer stand in the place
of a draft that is all contradicted, and where a model finds no answer but a chunk was graded
correct by code.
"""

from __future__ import annotations

from collections import Counter

from langgraph.runtime import Runtime

from rag.budget import BudgetSpent
from rag.citations.backing import backed
from rag.citations.check import Checked, check
from rag.citations.disagreement import disagreements
from rag.citations.verification import verify
from rag.dependencies import Dependencies
from rag.engines.protocol import ClaimChecker
from rag.nodes.update import Update
from rag.question.parts import QuestionPart
from state.answer import ClaimRecord, Status
from state.choices import Verifier
from state.graph_state import GraphState
from state.usage import add_usage

MAX_RETRIES = 1


def check_answer(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    checked = check(
        state["draft"],
        state["passages"],
        deps.reader,
        state["documents"],
        state["standalone_question"],
    )
    checked, spent = _verified(checked, state, deps)
    found = _found(checked)
    may_retry = (
        state["generation_retries"] < MAX_RETRIES
        and spent.get("budget_spent", state["budget_spent"]) is None
        and deps.engine.model is not None
    )
    if may_retry and checked.dropped and not checked.count("verified"):
        runtime.stream_writer({"event": "draft_rejected", "unsupported": checked.dropped})
        return {
            **spent,
            **found,
            "generation_retries": state["generation_retries"] + 1,
            "scratchpad": [
                f"{claim['text']} ({claim['reason']})"
                for claim in checked.claims
                if claim["verdict"] == "contradicted"
            ],
            "status": None,
        }
    status = _status(checked.claims, whole=state["complete"])
    if state["generation_retries"] and _worth(state["claims"]) > _worth(checked.claims):
        found = {name: state[name] for name in ("generation", "citations", "claims", "dropped")}
        return {**spent, **found, "status": _status(found["claims"], whole=state["complete"])}
    questions = [QuestionPart.of_state(part).question for part in state["parts"]]
    sure = deps.engine.model is not None and _code_is_sure(state)
    shown = backed(checked, state["passages"], questions, deps.reader, sure=sure)
    if status == "abstained" and shown.count("verified"):
        status = "partial"
        if not checked.claims and state["budget_spent"] is None:
            why = f"{deps.engine.model} gave no answer; these passages are likely to hold one."
            spent["warnings"] = [*spent.get("warnings", state["warnings"]), why]
    if differing := disagreements(shown.citations, state["passages"], deps.reader):
        spent["warnings"] = [*spent.get("warnings", state["warnings"]), *differing]
    return {**spent, **_found(shown), "status": status}


def _code_is_sure(state: GraphState) -> bool:
    """Whether it graded a chunk as correct: above the upper of the two thresholds of CRAG."""
    grades = state["grades"].values()
    return any(grade["grader"] == "local" and grade["verdict"] == "correct" for grade in grades)


def _found(checked: Checked) -> Update:
    return {
        "generation": checked.text,
        "citations": checked.citations,
        "claims": checked.claims,
        "dropped": checked.dropped,
    }


def _worth(claims: list[ClaimRecord]) -> tuple[int, int, int]:
    count = Counter(claim["verdict"] for claim in claims)
    return count["verified"], count["unverified"], -count["contradicted"]


def _status(claims: list[ClaimRecord], *, whole: bool) -> Status:
    count = Counter(claim["verdict"] for claim in claims)
    if count["contradicted"] == len(claims):
        return "abstained"
    return "answered" if whole and count["verified"] and not count["contradicted"] else "partial"


def _verified(checked: Checked, state: GraphState, deps: Dependencies) -> tuple[Checked, Update]:
    """What a model says of the open claims, where the person wants that and there is one."""
    asks = deps.settings.verify is Verifier.MODEL and state["budget_spent"] is None
    if not asks or not isinstance(deps.engine, ClaimChecker):
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
