"""One subtask done by one subagent, from a message list built from nothing.

What a subagent gets is its role, its instruction and the files named for it. What it
returns is an artifact whose every marker resolves to a located quote.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.answering.citations import check
from rag.research.dependencies import ResearchDependencies
from rag.research.entities import names_in
from rag.research.reading import passages_of, read_files_of
from rag.research.roles import Role
from state.research_state import Artifact, Subtask
from state.usage import NO_USAGE, add_usage, add_usages

LONGEST_QUESTION = 1_000


def run_subtask(task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies) -> Artifact:
    """The finished artifact; `read` are the artifacts of the task's `read_files`.

    Raises:
        CragError: the engine or the index failed; nothing is returned, so nothing is quoted.

    """
    role = deps.roles[task["role"]]
    deps.budget.check()
    if role.searches:
        return _searched(task, role, read, deps)
    return _composed(task, role, read, deps)


def _searched(
    task: Subtask, role: Role, read: Sequence[Artifact], deps: ResearchDependencies
) -> Artifact:
    """By the corrective graph; what was read first makes the instruction a question of its own."""
    question, usage = task["instruction"], NO_USAGE
    passages = passages_of(read)
    if passages:
        asked = deps.thinker.compose(role, question, read_files_of(read, passages), passages)
        question = " ".join(asked.content.split())[:LONGEST_QUESTION] or question
        usage = add_usage(NO_USAGE, role.name, asked.usage)
    answer = deps.corrective(question)
    found = answer["status"] != "abstained"
    cut = deps.budget.ended and answer["status"] != "answered"
    return {
        "name": task["expected_artifact"],
        "subtask": task["id"],
        "role": role.name,
        "instruction": question,
        "content": answer["answer"] if found else "",
        "status": "cut" if cut else "done" if found else "empty",
        "citations": answer["citations"] if found else [],
        "missing": [] if found or cut else [question],
        "entities": names_in(answer["citations"]) if found else [],
        "usage": add_usages([usage, answer["usage"]]),
        "trace_id": answer["trace_id"],
    }


def _composed(
    task: Subtask, role: Role, read: Sequence[Artifact], deps: ResearchDependencies
) -> Artifact:
    passages = passages_of(read)
    content, usage = "", NO_USAGE
    if passages:
        files = read_files_of(read, passages)
        composed = deps.thinker.compose(role, task["instruction"], files, passages)
        content, usage = composed.content, add_usage(NO_USAGE, role.name, composed.usage)
    checked = check(content, passages, deps.reader)
    return {
        "name": task["expected_artifact"],
        "subtask": task["id"],
        "role": role.name,
        "instruction": task["instruction"],
        "content": checked.text if checked.citations else "",
        "status": "done" if checked.citations else "empty",
        "citations": checked.citations,
        "missing": [],
        "entities": [],
        "usage": usage,
    }
