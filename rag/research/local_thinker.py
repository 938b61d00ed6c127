"""Planning, composing and reflecting by rules: research without a model.

Comparisons, lists and clauses are split into questions of their own; names met in one
answer are followed into the next; the answer is made of sentences of the documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

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
from rag.research.questions import (
    asks_for_comparison,
    asks_for_time,
    compared,
    follow,
    split,
)
from rag.research.reading import MARKER
from rag.research.roles import Role
from state.passages import Passage
from state.research_state import EVERYTHING, Artifact

FOLLOW_ROUNDS = 2
MOST_LEADS = 4
MOST_SENTENCES = 5
_CITED_SENTENCE = re.compile(r".+?(?:\[\d{1,3}\])+[.!?]?", re.DOTALL)


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
        files: Sequence[ReadFile],
        passages: Sequence[Passage],
    ) -> Composed:
        if role.searches:
            return Composed(instruction)
        if role.compose is not None:
            return Composed(role.compose(instruction, passages))
        drafted = self._engine.generate(
            GenerateRequest(question=instruction, passages=passages, history=()),
            lambda _text: None,
        ).text
        if role.name == "skeptic":
            return Composed(drafted if "disagree" in drafted[:60] else "")
        if not drafted:
            return Composed("")
        return Composed(" ".join([drafted, *_chain(drafted, files, passages)]))

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


def _chain(drafted: str, files: Sequence[ReadFile], passages: Sequence[Passage]) -> Iterator[str]:
    """The first sentence of each file that rests on a source not cited yet: the hops that the
    draft, which knows the question's own words only, leaves out.
    """
    sources = {passage["number"]: passage["source"] for passage in passages}
    cited = _sources(drafted, sources)
    sentences = len(cited)
    for file in files:
        first = next(iter(_CITED_SENTENCE.findall(file.content)), "")
        new = _sources(first, sources)
        if new and not new <= cited and sentences < MOST_SENTENCES:
            sentences += 1
            cited |= new
            yield first.strip()


def _sources(text: str, sources: Mapping[int, str]) -> set[str]:
    return {sources[int(n)] for n in MARKER.findall(text) if int(n) in sources}


def _leads(view: ReflectionView, found: Sequence[Artifact]) -> list[str]:
    """Follow-up questions about names met and not asked about yet, each once."""
    if compared(view.question):
        return []
    asked = [_plain(task["instruction"]) for task in view.plan]
    leads: dict[str, str] = {}
    for artifact in found:
        for name in artifact["entities"]:
            if not any(_plain(name) in earlier for earlier in [*asked, *leads]):
                for question in _of_name(view.question, name, artifact):
                    leads[_plain(question)] = question
    return list(leads.values())[:MOST_LEADS]


def _of_name(question: str, name: str, artifact: Artifact) -> Iterator[str]:
    quotes = [c["quote"] for c in artifact["citations"] if name in " ".join(c["quote"].split())]
    for quote in quotes[:1]:
        followed = follow(question, name, quote)
        if followed is not None:
            yield followed


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
