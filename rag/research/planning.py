"""A round's subtasks: what the researcher plans, checked and bounded."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence

from rag.question.parse import split_context
from rag.research.researcher import DraftSubtask, ResearchDependencies
from rag.research.roles import PLANNED, SEARCHER
from rag.research.virtual_files import artifact_name
from rag.text.prose import one_line
from state.graph_state import fresh
from state.research_state import ResearchState, Subtask
from state.wording import shorten

MOST_SUBTASKS = 8
MOST_QUERIES = 4
MOST_DOCUMENTS = 3
HEADING_WORDS = 8
LONGEST_HEADING = 120
LONGEST_INSTRUCTION = 1_000
LONGEST_QUERY = 300
_SEARCHED_WHOLE = "The plan left out the question, which is searched as it stands."


def new_subtasks(state: ResearchState, deps: ResearchDependencies) -> list[Subtask]:
    """The round's new subtasks; raises what the researcher raises. A first plan that searches
    nothing becomes a search for the question.
    """
    planned = deps.researcher.plan(deps.view(state))
    deps.warn(planned.warnings)
    new = checked_plan(planned.subtasks, state["plan"], state["files"], state["step"])
    if not any(task["role"] == SEARCHER for task in [*state["plan"], *new]):
        deps.warn([_SEARCHED_WHOLE])
        draft = DraftSubtask(role=SEARCHER, instruction=state["question"])
        new = checked_plan([draft], step=state["step"])
    return new


def checked_plan(
    drafts: Sequence[DraftSubtask],
    known: Sequence[Subtask] = (),
    files: Collection[str] = (),
    step: int = 0,
) -> list[Subtask]:
    """The new subtasks, in order: at most eight, of known roles, none that was done before.

    A subtask may read files that exist, files that an earlier draft is to write and, if it
    searches, documents; other names are dropped. "*" stands for all files of earlier searches,
    which a subtask that neither searches nor names a file reads as well. File names that drafts
    chose are replaced by names that cannot collide.
    """
    names = {name: name for name in files}
    plan: list[Subtask] = []
    for number, draft in enumerate(drafts[:MOST_SUBTASKS], 1):
        role = draft.role
        instruction = one_line(draft.instruction)[:LONGEST_INSTRUCTION]
        if role not in PLANNED or not instruction:
            continue
        before = [*known, *plan]
        wanted = dict.fromkeys(draft.read_files)
        reads = [names[name] for name in wanted if name in names]
        if "*" in wanted or not (role == SEARCHER or reads):
            reads = [other["expected_artifact"] for other in before if other["role"] == SEARCHER]
        file = artifact_name(role, step + number, instruction, names.values())
        task = new_subtask(role, instruction, file)
        task["heading"] = short_heading(draft.heading, instruction)
        task["read_files"] = reads
        if role == SEARCHER:
            asked = distinct(query[:LONGEST_QUERY] for query in draft.queries)
            task["queries"] = asked[:MOST_QUERIES] or [instruction[:LONGEST_QUERY]]
            others = [name for name in wanted if name not in names and name != "*"]
            task["documents"] = others[:MOST_DOCUMENTS]
        task["id"] = _identity(task)
        if all(task["id"] != other["id"] for other in before):
            names[draft.expected_artifact or instruction] = file
            plan.append(task)
    return plan


def new_subtask(role: str, instruction: str, artifact: str) -> Subtask:
    """A subtask that reads nothing yet and has its role for an id."""
    return fresh(
        Subtask,
        id=role,
        role=role,
        heading=role,
        instruction=instruction,
        expected_artifact=artifact,
        status="planned",
    )


def short_heading(heading: str, instruction: str) -> str:
    """The heading on one line of at most eight words, without list marks; if none was given, the
    instruction, without its context and question mark.
    """
    words = heading.strip(" #*`.:").split()
    told = " ".join(words[:HEADING_WORDS]).rstrip(",;:") + "…" * (len(words) > HEADING_WORDS)
    question, _ = split_context(instruction)
    told = told or shorten(question.rstrip(" ?."), LONGEST_HEADING)
    return told[:1].upper() + told[1:]


def distinct(lines: Iterable[str]) -> list[str]:
    """The lines, each on one line and once, without empty ones."""
    return list(dict.fromkeys(filter(None, map(one_line, lines))))


def _identity(task: Subtask) -> str:
    """A hash that is equal for equal work on equal files, whatever its case and spacing."""
    read = [*task["read_files"], *task["documents"], *map(str.casefold, task["queries"])]
    parts = (task["role"], task["instruction"].casefold(), *sorted(read))
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()
