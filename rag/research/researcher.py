"""What plans, composes and reflects in a research run: code, or a model.

None of it searches and none of it writes a file: evidence comes from the corrective graph,
and files are written by the run from what subagents return.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, Protocol, TypedDict

from rag.engines.protocol import Outcome
from rag.research.roles import Role
from state.errors import ModelError
from state.passages import Passage
from state.research_state import Artifact, FileSummary, RoundDecision, Subtask


class UnusableReplyError(ModelError):
    """The model replied, and no attempt could be read; `spent` is what they cost. Rules take
    the reply's place, and the report says so.
    """

    def __init__(self, message: str, spent: Outcome) -> None:
        super().__init__(message, "Try again, or another model.")
        self.spent = spent


class DraftSubtask(TypedDict):
    """A subtask as it was planned, before it has an id; `names` as in `Subtask`."""

    role: str
    instruction: str
    expected_artifact: str
    read_files: list[str]
    names: NotRequired[list[str]]


def draft_of(role: str, instruction: str, reads: list[str]) -> DraftSubtask:
    """One whose artifact may be called as its instruction."""
    return {
        "role": role,
        "instruction": instruction,
        "expected_artifact": instruction,
        "read_files": reads,
    }


@dataclass(frozen=True, slots=True)
class View:
    """All that a researcher sees of a run that it plans or reflects on. `files` are summaries:
    names, status and bytes, never text. `artifacts` stand for their facts about themselves: what
    is missing, which names were met; a model is shown no text of theirs.
    """

    question: str
    roles: Sequence[Role]
    plan: Sequence[Subtask]
    files: Sequence[FileSummary] = ()
    artifacts: Sequence[Artifact] = ()
    leads: Sequence[str] = ()
    guidance: Sequence[str] = ()
    reason: str = ""
    round: int = 0
    last: bool = False
    """Whether no round comes after this one."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as a subagent is given it: whole, its markers those of the passages beside it.
    `asked` is the instruction that it was written for.
    """

    name: str
    asked: str
    content: str


@dataclass(frozen=True, slots=True)
class Planned(Outcome):
    subtasks: tuple[DraftSubtask, ...]


@dataclass(frozen=True, slots=True)
class Composed(Outcome):
    """A subagent's reply; an empty `content` says that the passages hold nothing for it. One
    that is `quoted` repeats the files, which were checked when those were written.
    """

    content: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Reflected(Outcome):
    """`leads` are the questions to follow when replanning; `question` is for the person."""

    decision: RoundDecision
    reason: str
    leads: tuple[str, ...] = ()
    question: str | None = None


class Researcher(Protocol):
    """Each call starts from nothing but its arguments. Failures are RemoteError subclasses,
    UnusableReplyError among them.
    """

    def plan(self, view: View) -> Planned: ...

    def compose(
        self,
        role: Role,
        instruction: str,
        files: Sequence[ReadFile],
        passages: Sequence[Passage],
    ) -> Composed:
        """The role's Markdown on the passages, markers `[n]` after each sentence; from a role
        that searches, the question to search instead.
        """

    def reflect(self, view: View) -> Reflected: ...
