"""The interface of what plans, searches, composes and reflects in a research run, by code or by a
model, with the findings that it is given. It writes no file: the run writes files from what
subagents return.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from pydantic import BaseModel, Field

from rag.citations.check import number_places, with_markers, written_markers
from rag.engines.protocol import EngineResult
from rag.index.terms import terms
from rag.research.journal import Journal
from rag.research.run_view import RunView
from state.answer import Citation
from state.research_state import (
    Artifact,
    Finding,
    Found,
    ResearchEvent,
    ResearchState,
    RoundDecision,
    Subtask,
)

SEARCHER, ANALYST, WRITER = "searcher", "analyst", "writer"
PLANNED = {
    SEARCHER: "searches the documents and reads what is found",
    ANALYST: "searches nothing; compares what searchers found, orders it in time, or finds "
    "contradictions, where the question asks for that",
}
"""What a planner is told of the roles. The writer is not planned: it works when a run ends."""
_NUMBER = re.compile(r"\d")

Emit = Callable[[ResearchEvent], None]
"""Receives each event of a run, on the thread of the run."""

Line = Annotated[str, Field(json_schema_extra={"maxLength": 400})]
"""A line whose schema limits a small model, which may write one without end."""


class DraftSubtask(BaseModel):
    """A subtask as it was planned. `read_files` may name artifacts and documents of the
    collection; `expected_artifact` is what later ones read it by. One of an unknown role is left
    out later, not the whole plan.
    """

    role: str = Field(json_schema_extra={"enum": [*PLANNED]})
    heading: Line = ""
    instruction: Line
    queries: list[Line] = Field([], json_schema_extra={"maxItems": 4})
    expected_artifact: Line = ""
    read_files: list[Line] = Field([], json_schema_extra={"maxItems": 4})


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """Whole artifacts and the citations of their findings, numbered from 1 by first mention."""

    files: Sequence[Artifact] = ()
    citations: Sequence[Citation] = ()


@dataclass(frozen=True, slots=True)
class Reflected(EngineResult):
    """`leads` are what to search next; `closed` are open parts that were found after all;
    `question` is for the person.
    """

    decision: RoundDecision
    reason: str
    leads: Sequence[str] = ()
    closed: Sequence[str] = ()
    question: str = ""


class Researcher(Protocol):
    """Each call starts from nothing but its arguments. Failures are RemoteError subclasses. A reply
    that cannot be read is a warning, with nothing planned or found, and an end as the decision.
    """

    writes: bool
    """Whether it can write an answer above what was found."""

    @property
    def one_by_one(self) -> bool:
        """Whether subtasks that run side by side would only wait for each other."""

    def plan(self, view: RunView) -> tuple[Sequence[DraftSubtask], list[str]]:
        """The drafts of a round, with warnings."""

    def work(self, task: Subtask, read: ReadFiles) -> Found:
        """The task's result: of a role that searches from the documents, of another role from the
        findings that it reads, resting on their quotes alone.
        """

    def reflect(self, view: RunView) -> Reflected: ...


@dataclass(frozen=True, slots=True)
class ResearchDependencies:
    """A run's dependencies, which are never stored."""

    run_id: str
    researcher: Researcher
    journal: Journal
    emit: Emit
    started: float = field(default_factory=time.perf_counter)

    def view(self, state: ResearchState) -> RunView:
        return RunView(state, self.journal.artifacts(self.run_id, state["plan"]))

    def at_ms(self) -> float:
        """Milliseconds since the run was started or resumed."""
        return round((time.perf_counter() - self.started) * 1000, 3)


def read_files_of(artifacts: Sequence[Artifact]) -> ReadFiles:
    """The artifacts that have findings, with their citations renumbered together. What a searcher
    found is left out where one before it says so from the same places.
    """
    cited: list[list[Citation]] = []
    for artifact in artifacts:
        own = {citation["marker"]: citation for citation in artifact["citations"]}
        cited += [[own[m] for m in each["markers"]] for each in artifact["findings"]]
    numbers, citations = number_places(cited)
    numbered = iter(numbers)
    files: list[Artifact] = []
    told: dict[int, str] = {}
    for artifact in artifacts:
        findings: list[Finding] = [{**f, "markers": next(numbered)} for f in artifact["findings"]]
        if artifact["role"] == SEARCHER:
            findings = [each for each in findings if not _is_told(each, told)]
            for finding in findings:
                for marker in finding["markers"]:
                    told[marker] = f"{told.get(marker, '')} {finding['text']}"
        if findings:
            files.append({**artifact, "findings": findings})
    return ReadFiles(files, citations)


def _is_told(finding: Finding, told: Mapping[int, str]) -> bool:
    """Whether other findings rest on all places of this one, and say it in most of its words and
    with the same numbers.
    """
    if not finding["markers"] or not told.keys() >= set(finding["markers"]):
        return False
    known = set(terms(" ".join(told[marker] for marker in finding["markers"])))
    words = set(terms(finding["text"]))
    new = words - known
    return 2 * len(new) < len(words) and not any(map(_NUMBER.search, new))


def by_heading(artifacts: Iterable[Artifact]) -> dict[str, list[Finding]]:
    """The findings of each section."""
    sections: dict[str, list[Finding]] = {}
    for artifact in artifacts:
        sections.setdefault(artifact["heading"], []).extend(artifact["findings"])
    return sections


def render_findings(findings: Sequence[Finding]) -> str:
    """Findings as Markdown, each with its markers; several short ones as a list."""
    texts = [
        with_markers(each["text"], written_markers(each["markers"]), verbatim=True)
        for each in findings
    ]
    if len(texts) > 1 and not any("\n" in text for text in texts):
        return "\n".join(f"- {text}" for text in texts)
    return "\n\n".join(texts)
