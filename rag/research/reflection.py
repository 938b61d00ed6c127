"""Reflection with the rules that no thinker may break: an end needs an artifact that is
done, and the last round ends or escalates.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.research.dependencies import ResearchDependencies
from rag.research.protocol import Reflected, ReflectionView
from state.research_state import Artifact, ResearchState

LONGEST_QUESTION = 500


def reflect(
    state: ResearchState, artifacts: Sequence[Artifact], deps: ResearchDependencies
) -> Reflected:
    """What the thinker decides, within the rules."""
    done = any(artifact["status"] == "done" for artifact in artifacts)
    last = state["rounds"] + 1 >= deps.max_rounds
    reflected = deps.thinker.reflect(
        ReflectionView(
            question=state["question"],
            plan=state["plan"],
            artifacts=artifacts,
            guidance=state["guidance"],
            round=state["rounds"],
        )
    )
    if reflected.decision == "end" and not done:
        if last:
            return _escalated("no subtask found anything", reflected)
        return Reflected("replan", "an end was refused: no artifact is done yet", reflected.leads)
    if reflected.decision in ("continue", "replan") and last:
        return _escalated(f"all {deps.max_rounds} rounds are spent", reflected)
    if reflected.decision == "escalate" and not reflected.question:
        return _escalated(reflected.reason, reflected)
    return reflected


def _escalated(reason: str, reflected: Reflected) -> Reflected:
    question = (reflected.question or "").strip()[:LONGEST_QUESTION]
    return Reflected(
        "escalate",
        reason,
        question=question or "How should the research go on: what should be searched instead?",
        usage=reflected.usage,
    )
