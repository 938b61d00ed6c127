"""Planning, composing and reflecting by rules: research without a model.

Comparisons, lists and clauses are split into questions of their own; names met in one
answer are followed into the next; the answer is made of sentences of the documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.engines.local.engine import LocalEngine
from rag.engines.protocol import GenerateRequest
from rag.research.protocol import (
    Composed,
    DraftSubtask,
    Planned,
    PlanView,
    ReadFile,
    Reflected,
    ReflectionView,
)
from rag.research.questions import asks_for_comparison, asks_for_time, follow, split
from rag.research.roles import Role
from state.graph_state import Passage
from state.research_state import EVERYTHING, Artifact, Subtask

FOLLOW_ROUNDS = 2
MOST_LEADS = 5


class LocalThinker:
    """A `Thinker` over the local engine of one collection."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine

    def plan(self, view: PlanView) -> Planned:
        questions = [*view.leads] if view.plan else [view.question, *split(view.question)]
        searches = [_search(question, number) for number, question in enumerate(questions, 1)]
        if searches and not view.last:
            return Planned(tuple(searches))
        return Planned((*searches, *self._closing(view)))

    def _closing(self, view: PlanView) -> Iterator[DraftSubtask]:
        """What is made of everything found: once nothing is left to search, or no round."""
        roles = {role.name for role in view.roles}
        wanted = [
            ("comparer", asks_for_comparison(view.question)),
            ("timeline", asks_for_time(view.question)),
            ("skeptic", True),
            ("writer", True),
        ]
        for role, needed in wanted:
            if needed and role in roles:
                yield {
                    "role": role,
                    "instruction": view.question,
                    "expected_artifact": role,
                    "read_files": [EVERYTHING],
                }

    def compose(
        self,
        role: Role,
        instruction: str,
        files: Sequence[ReadFile],  # noqa: ARG002 - rules need no more than the quotes
        passages: Sequence[Passage],
    ) -> Composed:
        if role.searches:
            return Composed(instruction)
        if role.compose is not None:
            return Composed(role.compose(instruction, passages))
        drafted = self._engine.generate(
            GenerateRequest(question=instruction, passages=passages, history=()),
            lambda _text: None,
        )
        disagree = "disagree" in drafted.text[:60]
        if role.name == "skeptic" and not disagree:
            return Composed("")
        return Composed(drafted.text)

    def reflect(self, view: ReflectionView) -> Reflected:
        if any(task["status"] == "planned" for task in view.plan):
            return Reflected("continue", "subtasks are still open")
        if any(artifact["role"] in ("writer", "skeptic") for artifact in view.artifacts):
            return Reflected("end", "what was found is written up")
        found = [artifact for artifact in view.artifacts if artifact["status"] == "done"]
        leads = _leads(view, found) if view.round <= FOLLOW_ROUNDS else []
        if leads:
            return Reflected("replan", f"{len(leads)} names met are worth following", tuple(leads))
        if found:
            return Reflected("replan", "nothing is left to follow; write up what was found")
        return Reflected(
            "escalate",
            "no subtask found anything",
            question=(
                "The documents hold nothing on this. Which name, term or document should be "
                "searched instead?"
            ),
        )


def _search(question: str, number: int) -> DraftSubtask:
    return {
        "role": "searcher",
        "instruction": question,
        "expected_artifact": f"search {number}",
        "read_files": [],
    }


def _leads(view: ReflectionView, found: Sequence[Artifact]) -> list[str]:
    """Follow-up questions about names met and not asked about yet, each once."""
    asked = _asked(view.plan)
    leads: dict[str, str] = {}
    for artifact in found:
        for name in artifact["entities"]:
            question = follow(view.question, name)
            if question is not None and _plain(question) not in asked:
                leads.setdefault(_plain(question), question)
    return list(leads.values())[:MOST_LEADS]


def _asked(plan: Sequence[Subtask]) -> set[str]:
    return {_plain(task["instruction"]) for task in plan}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
