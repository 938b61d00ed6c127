"""A round's subtasks: what the researcher plans, made safe."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from textwrap import shorten

from rag.question.parse import split_context
from rag.research.researcher import DraftSubtask, ResearchDependencies
from rag.research.roles import ROLES, SEARCHER, WRITER
from rag.research.virtual_files import artifact_name
from rag.text.prose import one_line
from state.research_state import ResearchState, Subtask

MOST_SUBTASKS = 8
MOST_QUERIES = 4
MOST_DOCUMENTS = 3
HEADING_WORDS = 8
LONGEST_HEADING = 120
LONGEST_INSTRUCTION = 1_000
LONGEST_QUERY = 300
_SEARCHED_WHOLE = "The plan left out the question, which is searched as it stands."


def new_subtasks(state: ResearchState, deps: ResearchDependencies) -> list[Subtask]:
    """The round's new subtasks; errors as the researcher's. A first plan that searches nothing
    becomes a search for the question.
    """
    planned = deps.researcher.plan(deps.view(state))
    deps.warn(planned.warnings)
    new = checked_plan(planned.subtasks, state["plan"], state["files"], state["step"])
    if not any(ROLES[task["role"]].searches for task in [*state["plan"], *new]):
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
    """The new subtasks, in order: of known roles, not done before, at most eight.

    What a draft reads is a file that is there, what an earlier draft is expected to write, or, for
    a searcher, a document; other names are dropped. "*" is all that was searched before, which is
    also what one reads that names nothing and does not search. Names that drafts chose are replaced
    by names that cannot collide.
    """
    names = {name: name for name in files}
    plan: list[Subtask] = []
    for number, draft in enumerate(drafts[:MOST_SUBTASKS], 1):
        role = ROLES.get(draft.role)
        instruction = one_line(draft.instruction)[:LONGEST_INSTRUCTION]
        if role is None or role.name == WRITER or not instruction:
            continue
        before = [*known, *plan]
        wanted = dict.fromkeys(draft.read_files)
        reads = [names[name] for name in wanted if name in names]
        if "*" in wanted or not (role.searches or reads):
            searched = (other for other in before if ROLES[other["role"]].searches)
            reads = [other["expected_artifact"] for other in searched]
        file = artifact_name(role.name, step + number, instruction, names.values())
        task = new_subtask(role.name, instruction, file)
        task["heading"] = short_heading(draft.heading, instruction)
        task["read_files"] = reads
        if role.searches:
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
    """One that reads nothing yet and has the role for its id."""
    return {
        "id": role,
        "role": role,
        "heading": role,
        "instruction": instruction,
        "queries": [],
        "expected_artifact": artifact,
        "read_files": [],
        "documents": [],
        "status": "planned",
    }


def short_heading(heading: str, instruction: str) -> str:
    """At most eight words on one line, without a list's trimmings; the instruction, without what is
    carried behind it and its question mark, where no heading was given.
    """
    words = heading.strip(" #*`.:").split()
    told = " ".join(words[:HEADING_WORDS]).rstrip(",;:") + "…" * (len(words) > HEADING_WORDS)
    question, _ = split_context(instruction)
    told = told or shorten(question.rstrip(" ?."), LONGEST_HEADING, placeholder="…")
    return told[:1].upper() + told[1:]


def distinct(lines: Iterable[str]) -> list[str]:
    """Each on one line, once, none that is empty."""
    return list(dict.fromkeys(filter(None, map(one_line, lines))))


def _identity(task: Subtask) -> str:
    """Equal work on equal files has equal ids, whatever its case and spacing."""
    read = [*task["read_files"], *task["documents"], *map(str.casefold, task["queries"])]
    parts = (task["role"], task["instruction"].casefold(), *sorted(read))
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()
