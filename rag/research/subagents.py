"""One subtask done by one subagent, from a message list built from nothing.

What a subagent gets is its role, its instruction and the files named for it. What it
returns is an artifact whose every marker resolves to a located quote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag.citations import check
from rag.research.dependencies import ResearchDependencies
from rag.research.entities import names_in
from rag.research.roles import Role
from state.answer import Answer, Citation
from state.graph_state import Passage
from state.research_state import Artifact, Subtask
from state.usage import NO_USAGE, add_usage

MOST_QUOTES = 24


def run_subtask(task: Subtask, read: Sequence[Artifact], deps: ResearchDependencies) -> Artifact:
    """The finished artifact; `read` are the artifacts of the task's `read_files`.

    Raises:
        CragError: the engine or the index failed; nothing is returned, so nothing is quoted.

    """
    role = deps.roles[task["role"]]
    deps.budget.check()
    if role.searches:
        return _searched(task, deps.corrective(task["instruction"]))
    return _composed(task, role, read, deps)


def _searched(task: Subtask, answer: Answer) -> Artifact:
    found = answer["status"] != "abstained"
    return {
        "name": task["expected_artifact"],
        "subtask": task["id"],
        "role": task["role"],
        "instruction": task["instruction"],
        "content": answer["answer"] if found else "",
        "status": "done" if found else "empty",
        "citations": answer["citations"] if found else [],
        "missing": [] if found else [task["instruction"]],
        "entities": names_in(answer["citations"]) if found else [],
        "disagreements": [],
        "usage": answer["usage"],
    }


def _composed(
    task: Subtask, role: Role, read: Sequence[Artifact], deps: ResearchDependencies
) -> Artifact:
    passages = passages_of([c for artifact in read for c in artifact["citations"]])
    content, usage = "", NO_USAGE
    if passages:
        composed = deps.thinker.compose(role, task["instruction"], passages)
        content, usage = composed.content, add_usage(NO_USAGE, role.name, composed.usage)
    checked = check(content, passages, deps.reader)
    lines = [line for line in checked.text.splitlines() if line.strip()]
    return {
        "name": task["expected_artifact"],
        "subtask": task["id"],
        "role": role.name,
        "instruction": task["instruction"],
        "content": checked.text,
        "status": "done" if checked.citations else "empty",
        "citations": checked.citations,
        "missing": [],
        "entities": [],
        "disagreements": lines if role.name == "skeptic" else [],
        "usage": usage,
    }


def passages_of(citations: Sequence[Citation]) -> list[Passage]:
    """The quotes as passages numbered from 1, each place once."""
    places: Mapping[tuple[str, int, int], Citation] = {
        (c["source"], c["start_char"], c["end_char"]): c for c in reversed(citations)
    }
    ordered = sorted(places.values(), key=citations.index)[:MOST_QUOTES]
    return [
        {
            "number": number,
            "chunk_id": citation["chunk_id"],
            "source": citation["source"],
            "title": citation["title"],
            "heading": "",
            "page": citation["page"],
            "start_char": citation["start_char"],
            "end_char": citation["end_char"],
            "spans": [
                {
                    "start_char": citation["start_char"],
                    "end_char": citation["end_char"],
                    "start_line": citation["start_line"] or 1,
                    "end_line": citation["end_line"] or 1,
                    "text": citation["quote"],
                    "score": 1.0,
                }
            ],
        }
        for number, citation in enumerate(ordered, 1)
    ]
