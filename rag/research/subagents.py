"""One subtask done by one subagent, from a message list built from nothing.

What a subagent gets is its role, its instruction and the files named for it. What it
returns is an artifact whose every marker resolves to a located quote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.citations.check import check
from rag.citations.left_out import left_out
from rag.engines.openai.claims import read_claims
from rag.research.reading import Rested, cited_from, passages_of, quoted, read_files_of
from rag.research.research_dependencies import ResearchDependencies
from rag.research.researcher import UnusableReplyError
from rag.research.roles import Role
from state.answer import Citation, Usage
from state.passages import Passage
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


@dataclass(frozen=True, slots=True)
class _Told:
    """What a role said of what it read; `warnings` tell that its words could not be used."""

    text: str
    usage: Usage
    warnings: list[str]
    quoted: bool = False


def _searched(
    task: Subtask, role: Role, read: Sequence[Artifact], deps: ResearchDependencies
) -> Artifact:
    """By the corrective graph; what was read first makes the instruction a question of its own."""
    told = _told(task, role, passages_of(read), read, deps)
    question = " ".join(told.text.split())[:LONGEST_QUESTION] or task["instruction"]
    answer = deps.corrective(question)
    content = ""
    citations: list[Citation] = []
    if answer["status"] != "abstained":
        content, citations = answer["answer"], answer["citations"]
    names = task.get("names", [])
    if names:
        content, citations = cited_from(names, content, citations)
    cut = deps.budget.ended and answer["status"] != "answered"
    found = bool(content)
    # A document that is followed is asked on the chance; nobody asked for it.
    missed = not (found or cut or names)
    return {
        "name": task["expected_artifact"],
        "subtask": task["id"],
        "role": role.name,
        "instruction": question,
        "content": content if found else "",
        "status": "cut" if cut else "done" if found else "empty",
        "citations": citations if found else [],
        "missing": [question] if missed else [],
        "nearest": answer["nearest"] if missed else [],
        "warnings": [
            *told.warnings,
            *answer["warnings"],
            *left_out(answer["dropped"], answer["claims"]),
        ],
        "usage": add_usages([told.usage, answer["usage"]]),
        "trace_id": answer["trace_id"],
    }


def _composed(
    task: Subtask, role: Role, read: Sequence[Artifact], deps: ResearchDependencies
) -> Artifact:
    passages = passages_of(read)
    told = _told(task, role, passages, read, deps)
    checked = _checked(task, told, passages, read, deps)
    told_of = list(checked.left_out)
    if told.text and not checked.citations and not told.warnings:
        unsupported = f"The quotes support nothing that the {role.name} wrote."
        told = _by_rules(task, role, passages, read, deps, unsupported, told.usage)
        checked = _checked(task, told, passages, read, deps)
    content = role.kept(checked.text) if checked.citations else ""
    return {
        "name": task["expected_artifact"],
        "subtask": task["id"],
        "role": role.name,
        "instruction": task["instruction"],
        "content": content,
        "status": "done" if content else "empty",
        "citations": checked.citations if content else [],
        "missing": [],
        "warnings": [*told.warnings, *told_of],
        "usage": told.usage,
    }


def _checked(
    task: Subtask,
    told: _Told,
    passages: Sequence[Passage],
    read: Sequence[Artifact],
    deps: ResearchDependencies,
) -> Rested:
    if told.quoted:
        return quoted(told.text, read)
    checked = check(read_claims(told.text), passages, deps.reader, question=task["instruction"])
    said = tuple(left_out(checked.dropped, checked.claims))
    return Rested(checked.text, checked.citations, said)


def _told(
    task: Subtask,
    role: Role,
    passages: Sequence[Passage],
    read: Sequence[Artifact],
    deps: ResearchDependencies,
) -> _Told:
    """The role's words on the passages; what was found as it stands, where they cannot be used."""
    if not passages:
        return _Told("", NO_USAGE, [])
    files = read_files_of(read, passages)
    try:
        composed = deps.researcher.compose(role, task["instruction"], files, passages)
    except UnusableReplyError as error:
        usage = add_usage(NO_USAGE, role.name, error.usage)
        return _by_rules(task, role, passages, read, deps, error.message, usage)
    usage = add_usage(NO_USAGE, role.name, composed.usage)
    return _Told(composed.content, usage, [], composed.quoted)


def _by_rules(
    task: Subtask,
    role: Role,
    passages: Sequence[Passage],
    read: Sequence[Artifact],
    deps: ResearchDependencies,
    why: str,
    usage: Usage,
) -> _Told:
    files = read_files_of(read, passages)
    ruled = deps.rules.compose(role, task["instruction"], files, passages)
    return _Told(ruled.content, usage, [f"{why} What was found is quoted instead."], ruled.quoted)
