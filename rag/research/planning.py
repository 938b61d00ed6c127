"""A round's subtasks: what the researcher plans, made safe, and what a run must not go without.

A planner that offers nothing new, or nothing that bears on the question, does not stop the
run: rules plan the round, and the report says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from rag.index.terms import terms
from rag.research.research_dependencies import ResearchDependencies
from rag.research.researcher import DraftSubtask, Planned, UnusableReplyError, draft_of
from rag.research.virtual_files import artifact_name
from state.answer import NodeUsage
from state.research_state import EVERYTHING, ResearchState, Subtask

BY_RULES = "Rules planned what the model's plan left out."
MOST_SUBTASKS = 8
LONGEST_INSTRUCTION = 1_000


def new_subtasks(
    state: ResearchState, deps: ResearchDependencies
) -> tuple[list[Subtask], NodeUsage]:
    """The round's new subtasks; errors as the researcher's."""
    view = deps.view(state)
    check = partial(
        checked_plan,
        roles=deps.roles,
        files=state["files"],
        known=state["plan"],
        step=state["step"],
    )
    warning = BY_RULES
    try:
        planned = deps.researcher.plan(view)
    except UnusableReplyError as error:
        planned = Planned((), usage=error.spent.usage, warnings=error.spent.warnings)
        warning = f"{error.message} Rules planned instead."
    for line in planned.warnings:
        deps.warn(line)
    new = check(planned.subtasks)
    if _will_do(new, state, deps):
        return new, planned.usage
    by_rules = deps.rules.plan(view).subtasks
    ruled = check([*by_rules, *planned.subtasks]) or check(
        [draft_of("searcher", state["question"], [])]
    )
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


def checked_plan(
    drafts: Sequence[DraftSubtask],
    *,
    roles: Collection[str],
    files: Collection[str],
    known: Sequence[Subtask],
    step: int,
) -> list[Subtask]:
    """The new subtasks, in order: of known roles, not done before, at most eight.

    A file name that a draft reads is either a file that is there, or what an earlier draft
    is expected to write; others are dropped. Names that drafts chose are replaced by names
    that cannot collide.
    """
    seen = {task["id"] for task in known}
    names = {name: name for name in files}
    taken = set(files)
    plan: list[Subtask] = []
    for number, draft in enumerate(drafts[:MOST_SUBTASKS], 1):
        instruction = draft["instruction"].strip()[:LONGEST_INSTRUCTION]
        if draft["role"] not in roles or not instruction:
            continue
        reads = [names[name] for name in dict.fromkeys(draft["read_files"]) if name in names]
        if EVERYTHING in draft["read_files"]:
            reads = [EVERYTHING]
        identity = subtask_id(draft["role"], instruction, [*reads, *_evidence(reads, known, plan)])
        if identity in seen:
            continue
        seen.add(identity)
        name = artifact_name(draft["role"], step + number, instruction, taken)
        taken.add(name)
        names[draft["expected_artifact"]] = name
        task: Subtask = {
            "id": identity,
            "role": draft["role"],
            "instruction": instruction,
            "expected_artifact": name,
            "read_files": reads,
            "status": "planned",
        }
        if draft.get("names"):
            task["names"] = draft["names"]
        plan.append(task)
    return plan


def _evidence(reads: list[str], known: Sequence[Subtask], plan: Sequence[Subtask]) -> list[str]:
    """What "everything" means here: with more found, reading it all is new work."""
    if EVERYTHING not in reads:
        return []
    return [t["id"] for t in (*known, *plan) if EVERYTHING not in t["read_files"]]


def subtask_id(role: str, instruction: str, read_files: Iterable[str]) -> str:
    """Equal work on equal files has equal ids, whatever its case and spacing."""
    parts = (role, " ".join(instruction.casefold().split()), *sorted(read_files))
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()
