"""Reflection with the rules that no researcher may break: an end needs an artifact that is
done, and the last round ends or escalates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.engines.protocol import Outcome
from rag.research.research_dependencies import ResearchDependencies
from rag.research.researcher import Reflected, UnusableReplyError, View
from rag.text.prose import one_line
from state.research_state import Artifact, ResearchState

LONGEST_QUESTION = 500
ASKED_AT_THE_CAP = "How should the research go on: what should be searched instead?"


def reflect(
    state: ResearchState, artifacts: Sequence[Artifact], deps: ResearchDependencies
) -> Reflected:
    """What the researcher decides, within the rules."""
    done = any(artifact["status"] == "done" for artifact in artifacts)
    view = deps.view(state, artifacts)
    reflected = _thought(view, done, deps)
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


def _thought(view: View, done: bool, deps: ResearchDependencies) -> Reflected:
    """The researcher's decision. One that cannot be read ends the run with what there is, and a
    plan that is worked off cannot be continued.
    """
    try:
        reflected = deps.researcher.reflect(view)
    except UnusableReplyError as error:
        for line in (error.message, *error.spent.warnings):
            deps.warn(line)
        return _decided(Reflected("end", "the reflection could not be read"), done, error.spent)
    for line in reflected.warnings:
        deps.warn(line)
    planned = any(task["status"] == "planned" for task in view.plan)
    if reflected.decision == "continue" and not (planned or reflected.leads or view.last):
        return _decided(reflected, done, reflected)
    return reflected


def _decided(reflected: Reflected, done: bool, spent: Outcome) -> Reflected:
    """An end where something was found; else the person is asked."""
    return replace(reflected, decision="end" if done else "escalate", usage=spent.usage)


def _asking(reflected: Reflected, reason: str) -> Reflected:
    question = one_line(reflected.question or "")[:LONGEST_QUESTION]
    return replace(
        reflected, decision="escalate", reason=reason, question=question or ASKED_AT_THE_CAP
    )
