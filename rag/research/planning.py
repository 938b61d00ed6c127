"""A round's subtasks: what the researcher plans, made safe, and what a run must not go without.

A planner that offers nothing new, or nothing that bears on the question, does not stop the
run: rules plan the round, and the report says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.index.terms import terms
from rag.research.plan_check import checked_plan
from rag.research.research_dependencies import ResearchDependencies
from rag.research.researcher import DraftSubtask, Planned, PlanView, UnusableReplyError, draft_of
from rag.research.virtual_files import summaries
from state.answer import NodeUsage
from state.research_state import EVERYTHING, ResearchState, Subtask

BY_RULES = "Rules planned what the model's plan left out."


def new_subtasks(
    state: ResearchState, deps: ResearchDependencies
) -> tuple[list[Subtask], NodeUsage]:
    """The round's new subtasks; errors as the researcher's."""
    view = _view(state, deps)
    warning = BY_RULES
    try:
        planned = deps.researcher.plan(view)
    except UnusableReplyError as error:
        planned = Planned((), error.usage)
        warning = f"{error.message} Rules planned instead."
    new = _checked(planned.subtasks, state, deps)
    if _will_do(new, state, deps):
        return new, planned.usage
    by_rules = deps.rules.plan(view).subtasks
    ruled = _checked([*by_rules, *planned.subtasks], state, deps)
    if not ruled:
        ruled = _checked([_whole(state, deps)], state, deps)
    if len(ruled) > len(new) and deps.researcher is not deps.rules:
        deps.warn(warning)
    return ruled, planned.usage


def _will_do(new: Sequence[Subtask], state: ResearchState, deps: ResearchDependencies) -> bool:
    """Whether there is new work, the first of it a search for something that was asked."""
    asked = set(terms(" ".join([state["question"], *state["guidance"]])))
    searched = [task for task in new if deps.roles[task["role"]].searches]
    if state["plan"] or not asked:
        return bool(new)
    return any(asked & set(terms(task["instruction"])) for task in searched)


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
    drafts: Sequence[DraftSubtask], state: ResearchState, deps: ResearchDependencies
) -> list[Subtask]:
    return checked_plan(
        drafts, roles=deps.roles, files=state["files"], known=state["plan"], step=state["step"]
    )


def _whole(state: ResearchState, deps: ResearchDependencies) -> DraftSubtask:
    """The question itself: searched before it is given up, and what was found written up."""
    searcher = next(role.name for role in deps.roles.values() if role.searches)
    found = any(task["status"] == "done" for task in state["plan"])
    if found and "writer" in deps.roles:
        return draft_of("writer", state["question"], [EVERYTHING])
    return draft_of(searcher, state["question"], [])
