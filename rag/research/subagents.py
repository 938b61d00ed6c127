"""One subtask done by one subagent, from a message list built from nothing.

What a subagent gets is its role, its instruction and the files named for it. What it
returns is an artifact whose every marker resolves to a located quote.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.research.numbering import read_files_of, written
from rag.research.research_dependencies import ResearchDependencies
from rag.research.researcher import Found, UnusableReplyError
from state.research_state import Artifact, Subtask, SubtaskStatus
from state.usage import NO_USAGE, add_usage


def run_subtask(task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies) -> Artifact:
    """The finished artifact; `read` are the artifacts of the task's `read_files`. A reply that
    cannot be used leaves it empty, and what it was to find missing.

    Raises:
        CragError: the engine or the index failed; nothing is returned, so nothing is quoted.
    """
    deps.budget.check()
    role, files = deps.roles[task["role"]], read_files_of(read)
    try:
        if role.searches:
            found = deps.researcher.search(role, task, files)
        elif files.citations:
            found = deps.researcher.compose(role, task, files)
        else:
            found = Found()
    except UnusableReplyError as error:
        missing = (task["heading"],) if role.searches else ()
        warnings = (error.message, *error.spent.warnings)
        found = Found(missing=missing, usage=error.spent.usage, warnings=warnings)
    return _artifact(task, found)


def _artifact(task: Subtask, found: Found) -> Artifact:
    status: SubtaskStatus = "done" if found.findings else "empty"
    used = {marker for finding in found.findings for marker in finding["markers"]}
    artifact: Artifact = {
        "name": task["expected_artifact"],
        "subtask": task["id"],
        "role": task["role"],
        "heading": task["heading"],
        "instruction": task["instruction"],
        "content": written(found.findings),
        "findings": list(found.findings),
        "status": "cut" if found.cut else status,
        "citations": [citation for citation in found.citations if citation["marker"] in used],
        "missing": list(found.missing),
        "queries": list(found.queries),
        "warnings": list(found.warnings),
        "usage": add_usage(NO_USAGE, task["role"], found.usage),
    }
    if found.trace_id is not None:
        artifact["trace_id"] = found.trace_id
    return artifact
