"""A round's subtasks: what the researcher plans, made safe."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence

from rag.research.researcher import DraftSubtask, ResearchDependencies
from rag.research.roles import WRITER, Role
from rag.research.virtual_files import artifact_name
from rag.text.prose import one_line
from state.answer import NodeUsage
from state.research_state import EVERYTHING, ResearchState, Subtask

MOST_SUBTASKS = 8
MOST_QUERIES = 4
MOST_DOCUMENTS = 3
HEADING_WORDS = 8
LONGEST_INSTRUCTION = 1_000
LONGEST_QUERY = 300
_SEARCHED_WHOLE = "The plan left out the question, which is searched as it stands."


def new_subtasks(
    state: ResearchState, deps: ResearchDependencies
) -> tuple[list[Subtask], NodeUsage]:
    """The round's new subtasks; errors as the researcher's. A first plan that searches nothing
    becomes a search for the question.
    """
    planned = deps.researcher.plan(deps.view(state, deps.journal.artifacts(state["run_id"])))
    for line in planned.warnings:
        deps.warn(line)
    new = checked_plan(
        planned.subtasks,
        roles=deps.roles,
        files=state["files"],
        known=state["plan"],
        step=state["step"],
        is_document=deps.is_document,
    )
    if not any(deps.roles[task["role"]].searches for task in [*state["plan"], *new]):
        deps.warn(_SEARCHED_WHOLE)
        searcher = next(role.name for role in deps.roles.values() if role.searches)
        draft: DraftSubtask = {"role": searcher, "instruction": state["question"]}
        new = checked_plan([draft], roles=deps.roles, files={}, known=(), step=state["step"])
    return new, planned.usage


def checked_plan(
    drafts: Sequence[DraftSubtask],
    *,
    roles: dict[str, Role],
    files: Collection[str],
    known: Sequence[Subtask],
    step: int,
    is_document: Callable[[str], bool] = lambda _name: False,
) -> list[Subtask]:
    """The new subtasks, in order: of known roles, not done before, at most eight.

    A name that a draft reads is a file that is there, what an earlier draft is expected to write,
    or, for a searcher, a document of the collection; others are dropped. Names that drafts chose
    are replaced by names that cannot collide.
    """
    seen = {task["id"] for task in known}
    names = {name: name for name in files}
    taken = set(files)
    plan: list[Subtask] = []
    for number, draft in enumerate(drafts[:MOST_SUBTASKS], 1):
        role, instruction = draft["role"], one_line(draft["instruction"])[:LONGEST_INSTRUCTION]
        if role not in roles or role == WRITER or not instruction:
            continue
        searches = roles[role].searches
        wanted = list(dict.fromkeys(draft.get("read_files", ())))
        reads = [names[name] for name in wanted if name in names]
        if EVERYTHING in wanted or not (searches or reads):
            reads = [EVERYTHING]
        queries = [one_line(query)[:LONGEST_QUERY] for query in draft.get("queries", ())]
        queries = list(dict.fromkeys(filter(None, queries))) or [instruction[:LONGEST_QUERY]]
        documents = [name for name in wanted if name not in names and is_document(name)]
        name = artifact_name(role, step + number, instruction, taken)
        task = new_subtask(role, instruction, name)
        task["heading"] = short_heading(draft.get("heading", ""), instruction)
        task["read_files"] = reads
        if searches:
            task["queries"] = queries[:MOST_QUERIES]
            task["documents"] = documents[:MOST_DOCUMENTS]
        task["id"] = _identity(task, [*known, *plan])
        if task["id"] in seen:
            continue
        seen.add(task["id"])
        taken.add(task["expected_artifact"])
        names[draft.get("expected_artifact") or instruction] = task["expected_artifact"]
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
    """At most eight words on one line, without a question mark's or a list's trimmings."""
    words = (heading.strip(" #*`.:") or instruction.rstrip(" ?.")).split()
    cut = " ".join(words[:HEADING_WORDS])
    return cut if len(words) <= HEADING_WORDS else f"{cut.rstrip(',;:')}…"


def _identity(task: Subtask, before: Sequence[Subtask]) -> str:
    """Equal work on equal files has equal ids, whatever its case and spacing. With more found,
    reading everything is new work.
    """
    read = [*task["read_files"], *task["documents"], *map(str.casefold, task["queries"])]
    if EVERYTHING in task["read_files"]:
        read += [earlier["id"] for earlier in before if EVERYTHING not in earlier["read_files"]]
    parts = (task["role"], task["instruction"].casefold(), *sorted(read))
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()
