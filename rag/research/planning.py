"""A round's subtasks: what the thinker plans, made safe, and what a run must not go without.

A planner that offers nothing new does not stop the run: the question itself is searched
before it is given up, and what was found is written up before it ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag.research.dependencies import ResearchDependencies
from rag.research.files import summaries
from rag.research.plan_check import checked_plan
from rag.research.protocol import DraftSubtask, PlanView
from rag.research.roles import Role
from state.answer import NodeUsage
from state.research_state import EVERYTHING, ResearchState, Subtask


def new_subtasks(
    state: ResearchState, deps: ResearchDependencies
) -> tuple[list[Subtask], NodeUsage]:
    """The round's new subtasks; errors as the thinker's."""
    planned = deps.thinker.plan(_view(state, deps))
    new = _checked(planned.subtasks, state, deps.roles)
    if not new:
        new = _checked(_must_do(state, deps.roles), state, deps.roles)
    return new, planned.usage


def _view(state: ResearchState, deps: ResearchDependencies) -> PlanView:
    return PlanView(
        question=state["question"],
        roles=tuple(deps.roles.values()),
        plan=state["plan"],
        files=summaries(state["files"]),
        leads=state["leads"],
        guidance=state["guidance"],
        reason=state["reason"],
        last=state["rounds"] + 1 >= deps.max_rounds,
    )


def _checked(
    drafts: Sequence[DraftSubtask], state: ResearchState, roles: Mapping[str, Role]
) -> list[Subtask]:
    return checked_plan(
        drafts, roles=roles, files=state["files"], known=state["plan"], step=state["step"]
    )


def _must_do(state: ResearchState, roles: Mapping[str, Role]) -> list[DraftSubtask]:
    searcher = next(role.name for role in roles.values() if role.searches)
    found = any(task["status"] == "done" for task in state["plan"])
    role, reads = ("writer", [EVERYTHING]) if found and "writer" in roles else (searcher, [])
    return [
        {
            "role": role,
            "instruction": state["question"],
            "expected_artifact": role,
            "read_files": reads,
        }
    ]
