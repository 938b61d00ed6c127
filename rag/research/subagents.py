"""One subtask done by one subagent, from a message list built from nothing.

What a subagent gets is its role, its instruction and the files named for it. What it
returns is an artifact whose every marker resolves to a located quote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rag.citations.check import check
from rag.citations.left_out import left_out
from rag.engines.openai.claims import read_claims
from rag.engines.protocol import Outcome
from rag.research.read_files import cited_from, passages_of, quoted, read_files_of
from rag.research.research_dependencies import ResearchDependencies
from rag.research.researcher import Composed, UnusableReplyError
from state.answer import Citation
from state.research_state import Artifact, Subtask
from state.usage import NO_USAGE, add_usage, add_usages

LONGEST_QUESTION = 1_000


def run_subtask(task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies) -> Artifact:
    """The finished artifact; `read` are the artifacts of the task's `read_files`.

    Raises:
        CragError: the engine or the index failed; nothing is returned, so nothing is quoted.
    """
    deps.budget.check()
    done = _searched if deps.roles[task["role"]].searches else _composed
    return done(task, read, deps)


def _searched(task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies) -> Artifact:
    """By the corrective graph; what was read first makes the instruction a question."""
    said = _said(task, read, deps)
    question = " ".join(said.content.split())[:LONGEST_QUESTION] or task["instruction"]
    answer = deps.corrective(question)
    content, citations = answer["answer"], answer["citations"]
    if answer["status"] == "abstained":
        content = ""
    names = task.get("names", [])
    if names:
        content, citations = cited_from(names, content, citations)
    cut = deps.budget.ended and answer["status"] != "answered"
    # A document that is followed is asked on the chance; nobody asked for it.
    missed = not (content or cut or names)
    told_of = [*answer["warnings"], *left_out(answer["dropped"], answer["claims"])]
    made = _made(task, content, citations, said, told_of)
    return {
        **made,
        "instruction": question,
        "status": "cut" if cut else made["status"],
        "missing": [question] if missed else [],
        "nearest": answer["nearest"] if missed else [],
        "usage": add_usages([made["usage"], answer["usage"]]),
        "trace_id": answer["trace_id"],
    }


def _composed(task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies) -> Artifact:
    role = deps.roles[task["role"]]
    said = _said(task, read, deps)
    text, citations, told_of = _rested(said, task, read, deps)
    if said.content and not citations and not said.quoted:
        why = f"The quotes support nothing that the {role.name} wrote."
        said = _by_rules(why, said, task, read, deps)
        text, citations, _ = _rested(said, task, read, deps)
    return _made(task, role.kept(text) if citations else "", citations, said, told_of)


def _said(task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies) -> Composed:
    """The role's words on what it was given; where they cannot be used, what was found."""
    passages = passages_of(read)
    if not passages:
        return Composed("")
    role, files = deps.roles[task["role"]], read_files_of(read)
    try:
        return deps.researcher.compose(role, task["instruction"], files, passages)
    except UnusableReplyError as error:
        return _by_rules(error.message, error.spent, task, read, deps)


def _by_rules(
    why: str, spent: Outcome, task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies
) -> Composed:
    role, files = deps.roles[task["role"]], read_files_of(read)
    ruled = deps.rules.compose(role, task["instruction"], files, passages_of(read))
    warnings = (f"{why} What was found is quoted instead.", *spent.warnings)
    return replace(ruled, usage=spent.usage, warnings=warnings)


def _rested(
    said: Composed, task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies
) -> tuple[str, list[Citation], list[str]]:
    """What of it holds, what that rests on, and the claims that were taken out."""
    if said.quoted:
        return (*quoted(said.content, read), [])
    claims, passages = read_claims(said.content), passages_of(read)
    checked = check(claims, passages, deps.reader, question=task["instruction"])
    return checked.text, checked.citations, left_out(checked.dropped, checked.claims)


def _made(
    task: Subtask, content: str, citations: list[Citation], said: Composed, told_of: Iterable[str]
) -> Artifact:
    return {
        "name": task["expected_artifact"],
        "subtask": task["id"],
        "role": task["role"],
        "instruction": task["instruction"],
        "content": content,
        "status": "done" if content else "empty",
        "citations": citations if content else [],
        "missing": [],
        "warnings": [*said.warnings, *told_of],
        "usage": add_usage(NO_USAGE, task["role"], said.usage),
    }
