"""The seam between the graph's nodes and an engine: local code, or a model.

An engine is given the question's state, which it only reads, and returns values. Failures leave it
as `state.errors.RemoteError` subclasses only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rag.budget import Budget
from state.answer import AnswerPart
from state.passages import Grade, HistoryTurn

if TYPE_CHECKING:
    from state.graph_state import GraphState

Emit = Callable[[str], None]
"""Receives answer text as it is produced; may be called zero or more times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineResult:
    """The base of every result; `warnings` are lines for the person."""

    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Contextualized(EngineResult):
    """A question made to stand alone. `reason` says in words what was added."""

    question: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Graded(EngineResult):
    """One grade a chunk, in the order given; never a default verdict.

    `sufficient`: the chunks found relevant so far can answer the question.
    `in_domain`: the probability that the collection holds anything about each part, where it was
    estimated.
    """

    grades: tuple[Grade, ...]
    sufficient: bool
    in_domain: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten(EngineResult):
    """`queries` are searched beside each other; none where there is no better one. `reason` says
    what was changed, or why nothing was.
    """

    queries: Sequence[str]
    reason: str


@dataclass(frozen=True, slots=True)
class Generated(EngineResult):
    """A draft: its parts, still to be checked, and what the documents do not say (`missing`).

    Without parts the documents hold no answer; `refusal` then says what comes nearest.
    `complete` is False when the reply was cut short (length, a dropped stream, a spent budget), or
    does not answer every part of the question.
    """

    parts: Sequence[AnswerPart] = ()
    refusal: Sequence[AnswerPart] = ()
    missing: Sequence[str] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Verified(EngineResult):
    """One verdict per claim, in the order given, or none at all."""

    supported: tuple[bool, ...] = ()


class Engine(Protocol):
    """What the nodes need of an engine."""

    @property
    def name(self) -> str:
        """The engine's name: local or openai."""

    @property
    def model(self) -> str | None:
        """The model's name, or None for an engine without one."""

    @property
    def answers_once(self) -> bool:
        """Whether an answer takes so long that nobody waits for a second."""

    def document_tokens(self, wanted: int) -> int:
        """How many tokens of documents it takes, of the `wanted` ones."""
        ...

    def contextualize(self, question: str, history: Sequence[HistoryTurn]) -> Contextualized: ...

    def grade(self, state: GraphState) -> Graded:
        """Grades the chunks that are new in this loop."""
        ...

    def rewrite(self, state: GraphState) -> Rewritten: ...

    def generate(self, state: GraphState, emit: Emit) -> Generated: ...

    def verify(self, claims: Sequence[str], quotes: Sequence[str]) -> Verified:
        """Whether each claim is supported by the quote at the same index; an engine without a
        model has no verdicts.
        """

    def for_question(self, budget: Budget) -> Engine:
        """The engine for one question: its calls, if they cost anything, are charged to `budget`
        and raise BudgetSpent.
        """

    def close(self) -> None:
        """Close the connections, which the engines for single questions share."""
