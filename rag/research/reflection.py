"""Reflection with the rules that no researcher may break: an end needs an artifact that is
done, and the last round ends or escalates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.research.research_dependencies import ResearchDependencies
from rag.research.researcher import Reflected, UnusableReplyError, View
from state.research_state import Artifact, ResearchState

LONGEST_QUESTION = 500
ASKED_AT_THE_CAP = "How should the research go on: what should be searched instead?"


def reflect(
    state: ResearchState, artifacts: Sequence[Artifact], deps: ResearchDependencies
) -> Reflected:
    """What the researcher decides, within the rules."""
    done = any(artifact["status"] == "done" for artifact in artifacts)
    view = deps.view(state, artifacts)
    reflected = _thought(view, deps)
    if reflected.decision == "escalate":
        return _asking(reflected, reflected.reason)
    if reflected.decision == "end" and not done:
        if view.last:
            return _asking(reflected, "no subtask found anything")
        refused = "an end was refused: no artifact is done yet"
        return replace(reflected, decision="replan", reason=refused, question=None)
    if reflected.decision in ("continue", "replan") and view.last:
        spent = "the only round is" if deps.max_rounds == 1 else f"all {deps.max_rounds} rounds are"
        return _asking(reflected, f"{spent} spent")
    return replace(reflected, question=None)


def _thought(view: View, deps: ResearchDependencies) -> Reflected:
    """The researcher's decision; that of rules, where it cannot be read or means nothing: a plan
    that is worked off cannot be continued.
    """
    try:
        reflected = deps.researcher.reflect(view)
    except UnusableReplyError as error:
        for line in (f"{error.message} Rules decided how the run goes on.", *error.spent.warnings):
            deps.warn(line)
        return replace(deps.rules.reflect(view), usage=error.spent.usage)
    for line in reflected.warnings:
        deps.warn(line)
    open_ = any(task["status"] == "planned" for task in view.plan)
    if reflected.decision == "continue" and not open_ and not reflected.leads:
        return replace(deps.rules.reflect(view), usage=reflected.usage)
    return reflected


def _asking(reflected: Reflected, reason: str) -> Reflected:
    question = " ".join((reflected.question or "").split())[:LONGEST_QUESTION]
    return replace(
        reflected, decision="escalate", reason=reason, question=question or ASKED_AT_THE_CAP
    )
