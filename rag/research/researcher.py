"""What plans, searches, composes and reflects in a research run: code, or a model.

None of it writes a file: files are written by the run from what subagents return.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, Protocol, TypedDict

from rag.engines.protocol import Outcome
from rag.research.numbering import ReadFiles
from rag.research.roles import Role
from state.answer import Citation
from state.errors import ModelError
from state.research_state import Artifact, FileSummary, Finding, RoundDecision, Subtask


class UnusableReplyError(ModelError):
    """The model replied, and no attempt could be read; `spent` is what they cost. The run goes on
    without it, and the report says so.
    """

    def __init__(self, message: str, spent: Outcome) -> None:
        super().__init__(message, "Try again, or another model.")
        self.spent = spent


class DraftSubtask(TypedDict):
    """A subtask as it was planned, before it has an id. `read_files` may name artifacts and
    documents of the collection; `expected_artifact` is what later ones read it by.
    """

    role: str
    instruction: str
    heading: NotRequired[str]
    queries: NotRequired[list[str]]
    expected_artifact: NotRequired[str]
    read_files: NotRequired[list[str]]


@dataclass(frozen=True, slots=True)
class View:
    """All that a researcher sees of a run that it plans or reflects on. `files` are summaries:
    names, status and bytes, never text. `artifacts` are for reflection alone; a planner is shown
    none. `open` is what was looked for and has not been found yet.
    """

    question: str
    roles: Sequence[Role]
    plan: Sequence[Subtask]
    files: Sequence[FileSummary] = ()
    artifacts: Sequence[Artifact] = ()
    open: Sequence[str] = ()
    leads: Sequence[str] = ()
    guidance: Sequence[str] = ()
    reason: str = ""
    round: int = 0
    last: bool = False
    """Whether no round comes after this one."""


@dataclass(frozen=True, slots=True)
class Planned(Outcome):
    subtasks: tuple[DraftSubtask, ...]


@dataclass(frozen=True, slots=True)
class Found(Outcome):
    """What a subagent returns: findings whose markers are those of `citations`, and what it looked
    for in vain. `queries` are what was searched; one that is `cut` was ended by a budget.
    """

    findings: Sequence[Finding] = ()
    citations: Sequence[Citation] = ()
    missing: Sequence[str] = ()
    queries: Sequence[str] = ()
    cut: bool = False
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class Reflected(Outcome):
    """`leads` are what to search when replanning; `closed` are open parts that were found after
    all; `question` is for the person.
    """

    decision: RoundDecision
    reason: str
    leads: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    question: str | None = None


class Researcher(Protocol):
    """Each call starts from nothing but its arguments. Failures are RemoteError subclasses,
    UnusableReplyError among them.
    """

    @property
    def writes(self) -> bool:
        """Whether it can write an answer above what was found."""

    def plan(self, view: View) -> Planned: ...

    def search(self, role: Role, task: Subtask, read: ReadFiles) -> Found: ...

    def compose(self, role: Role, task: Subtask, read: ReadFiles) -> Found:
        """The role's findings on those it reads, resting on their quotes alone."""

    def reflect(self, view: View) -> Reflected: ...
