"""The interface of what plans, searches, composes and reflects in a research run, by code or by a
model, with the findings that it is given. It writes no file: the run writes files from what
subagents return.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from pydantic import BaseModel, Field

from rag.citations.check import Places, number_places, with_markers, written_markers
from rag.engines.protocol import EngineResult
from rag.research.allowance import Allowance
from rag.research.journal import Journal
from rag.research.roles import MAX_ROUNDS, PLANNED
from state.answer import Citation
from state.research_state import (
    Artifact,
    Finding,
    ResearchEvent,
    ResearchState,
    RoundDecision,
    Subtask,
)

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
class RunView:
    """A run as the researcher sees it when it plans or reflects. `open` is what was searched for
    and not found yet; `left` is what the next round may take; `last` says that no other round
    follows. Of artifacts a planner is shown only what was searched for them.
    """

    state: ResearchState
    artifacts: Sequence[Artifact] = ()
    open: Sequence[str] = ()
    left: Allowance = field(default_factory=Allowance)
    last: bool = False


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """Whole artifacts and the citations of their findings, numbered from 1 by first mention."""

    files: Sequence[Artifact] = ()
    citations: Sequence[Citation] = ()


@dataclass(frozen=True, slots=True)
class Planned(EngineResult):
    subtasks: Sequence[DraftSubtask] = ()


@dataclass(frozen=True, slots=True)
class Researched(EngineResult):
    """A subagent's result, with the fields of Artifact; `queries` are what was searched."""

    findings: Sequence[Finding] = ()
    citations: Sequence[Citation] = ()
    missing: Sequence[str] = ()
    nearest: Sequence[Citation] = ()
    queries: Sequence[str] = ()


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
        ...

    def plan(self, view: RunView) -> Planned: ...

    def work(self, task: Subtask, read: ReadFiles) -> Researched:
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
        artifacts = self.journal.artifacts(self.run_id, state["plan"])
        open_, left = open_parts(artifacts, state["closed"]), Allowance.left(state, artifacts)
        return RunView(state, artifacts, open_, left, last=state["rounds"] + 1 >= MAX_ROUNDS)

    def at_ms(self) -> float:
        """Milliseconds since the run was started or resumed."""
        return round((time.perf_counter() - self.started) * 1000, 3)


def open_parts(artifacts: Sequence[Artifact], closed: Sequence[str]) -> list[str]:
    """What was searched for and not found, also not later; each part once, in order."""
    missing = (part for artifact in artifacts for part in artifact["missing"])
    return [part for part in dict.fromkeys(missing) if part not in closed]


def read_files_of(artifacts: Sequence[Artifact]) -> ReadFiles:
    """The artifacts that have findings, with their citations renumbered together."""
    places: Places = {}
    files: list[Artifact] = []
    for artifact in artifacts:
        own = {citation["marker"]: citation for citation in artifact["citations"]}
        findings: list[Finding] = [
            {**each, "markers": number_places((own[m] for m in each["markers"]), places)}
            for each in artifact["findings"]
        ]
        if findings:
            files.append({**artifact, "findings": findings})
    return ReadFiles(files, list(places.values()))


def render_findings(findings: Sequence[Finding]) -> str:
    """Findings as Markdown, each with its markers; several short ones as a list."""
    texts = [
        with_markers(each["text"], written_markers(each["markers"]), verbatim=True)
        for each in findings
    ]
    if len(texts) > 1 and not any("\n" in text for text in texts):
        return "\n".join(f"- {text}" for text in texts)
    return "\n\n".join(texts)
