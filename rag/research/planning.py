"""A round's subtasks: what the researcher plans, checked and bounded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from rag.question.parse import split_context
from rag.research.researcher import PLANNED, SEARCHER, DraftSubtask, Researcher
from rag.research.run_view import RunView
from rag.text.prose import one_line
from state.graph_state import fresh
from state.research_state import Subtask
from state.wording import shorten

MOST_SUBTASKS = 8
MOST_QUERIES = 4
MOST_NAMED = 3
HEADING_WORDS = 8
LONGEST_HEADING = 120
LONGEST_INSTRUCTION = 1_000
LONGEST_QUERY = 300


def new_subtasks(view: RunView, researcher: Researcher) -> tuple[list[Subtask], list[str]]:
    """The round's new subtasks, with warnings; raises what the researcher raises. A first plan that
    searches nothing becomes a search for the question.
    """
    drafts, warnings = researcher.plan(view)
    known = view.state["plan"]
    new = checked_plan(drafts, known)[: max(view.most_subtasks, 1)]
    if not any(task["role"] == SEARCHER for task in [*known, *new]):
        warnings.append("The plan left out the question, which is searched as it stands.")
        new = checked_plan([DraftSubtask(role=SEARCHER, instruction=view.state["question"])])
    readings = view.tokens_of_readings(len(new))
    return [{**task, "read_tokens": readings} for task in new], warnings


def checked_plan(drafts: Sequence[DraftSubtask], known: Sequence[Subtask] = ()) -> list[Subtask]:
    """The new subtasks, in order: at most eight, of known roles, none that was done before.

    A subtask may read files of earlier ones, under the names that the drafts gave them too, and, if
    it searches, a few documents. One that neither searches nor names a file reads all files of
    earlier searches.
    """
    files = {task["expected_artifact"]: task["expected_artifact"] for task in known}
    plan: list[Subtask] = []
    for draft in drafts[:MOST_SUBTASKS]:
        instruction = one_line(draft.instruction)[:LONGEST_INSTRUCTION]
        if draft.role not in PLANNED or not instruction:
            continue
        before, searches = [*known, *plan], draft.role == SEARCHER
        wanted = dict.fromkeys(draft.read_files)
        reads = [files[name] for name in wanted if name in files]
        if searches:
            reads += [name for name in wanted if name not in files][:MOST_NAMED]
        elif not reads:
            reads = [other["expected_artifact"] for other in before if other["role"] == SEARCHER]
        asked = distinct(query[:LONGEST_QUERY] for query in draft.queries)[:MOST_QUERIES]
        heading = short_heading(draft.heading, instruction)
        task = new_subtask(draft.role, instruction, heading, reads, asked if searches else ())
        if all(task["expected_artifact"] != other["expected_artifact"] for other in before):
            files[draft.expected_artifact or instruction] = task["expected_artifact"]
            plan.append(task)
    return plan


def new_subtask(
    role: str,
    instruction: str,
    heading: str = "",
    read_files: Sequence[str] = (),
    queries: Sequence[str] = (),
) -> Subtask:
    return fresh(
        Subtask,
        role=role,
        heading=heading,
        instruction=instruction,
        queries=[*queries],
        expected_artifact=artifact_name(role, instruction, [*read_files, *queries]),
        read_files=[*read_files],
        status="planned",
    )


def artifact_name(role: str, instruction: str, given: Iterable[str] = ()) -> str:
    """`role_slug_hash.md`, the same for the same work on what is `given`, in whatever order, case
    and spacing.
    """
    told = (role, instruction.casefold(), *sorted(map(str.casefold, given)))
    hashed = hashlib.blake2b("\0".join(told).encode("utf-8", "replace"), digest_size=6).hexdigest()
    slug = re.sub(r"[^a-z0-9]+", "-", instruction.casefold()).strip("-")[:40] or "untitled"
    return f"{role}_{slug}_{hashed}.md"


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
