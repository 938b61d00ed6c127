"""Planning, composing and reflecting by rules: research without a model.

Comparisons, lists and clauses are split into questions of their own; names met in one
answer are followed into the next; the answer is made of sentences of the documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.engines.local.engine import LocalEngine
from rag.engines.protocol import GenerateRequest
from rag.index.protocol import CollectionReader
from rag.research.comparisons import asks_for_comparison, comparison
from rag.research.each import each_document
from rag.research.local_writer import answer_of_parts, chained, sources_in
from rag.research.protocol import (
    Composed,
    DraftSubtask,
    Planned,
    PlanView,
    ReadFile,
    Reflected,
    ReflectionView,
)
from rag.research.questions import Part, follow, followed_name, split
from rag.research.roles import Role
from rag.research.topics import asks_for_time
from state.passages import Passage
from state.research_state import EVERYTHING, Artifact

FOLLOW_ROUNDS = 2
MOST_LEADS = 4
DISAGREE = "disagree"
# A reason is told where the thing is; a name beside it is none.
_WHY = re.compile(r"\W*(?:why|how (?:do|does|did|can|should|is|are|was|were)\b)", re.IGNORECASE)


class LocalThinker:
    """A `Thinker` over the local engine of one collection."""

    def __init__(self, collection: CollectionReader) -> None:
        self._collection = collection
        self._engine = LocalEngine(collection)

    def plan(self, view: PlanView) -> Planned:
        parts = list(_next(view)) if view.plan else list(self._first(view.question))
        searches = [_search(part, number) for number, part in enumerate(parts, 1)]
        if searches and not view.last:
            return Planned(tuple(searches))
        return Planned((*searches, *self._closing(view)))

    def _first(self, question: str) -> Iterator[Part]:
        """The question's parts, after the question itself unless they are all there is to it."""
        of_each = list(each_document(question, self._collection))
        if of_each:
            yield from of_each
            return
        made = split(question)
        compared = comparison(question)
        if not made.independent:
            yield Part(question, compared.names if compared is not None else ())
        yield from made.parts

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
        if role.name == "skeptic":
            return Composed("\n".join(self._disagreeing(instruction, passages)))
        in_parts = answer_of_parts(instruction, files, passages)
        if in_parts:
            return Composed(in_parts, quoted=True)
        drafted = self._drafted(instruction, passages)
        return Composed(chained(drafted, files, passages) if drafted else "")

    def _disagreeing(self, question: str, passages: Sequence[Passage]) -> Iterator[str]:
        """Asked of each part by itself: two answers to two questions are no contradiction."""
        parts = split(question)
        asked = [part.question for part in parts.parts] if parts.independent else [question]
        sources = {passage["number"]: passage["source"] for passage in passages}
        for part in asked:
            drafted = self._drafted(part, passages)
            if DISAGREE in drafted[:60] and len(sources_in(drafted, sources)) > 1:
                yield drafted

    def _drafted(self, question: str, passages: Sequence[Passage]) -> str:
        request = GenerateRequest(question=question, parts=(), passages=passages, history=())
        return self._engine.generate(request, lambda _text: None).text

    def reflect(self, view: ReflectionView) -> Reflected:
        if any(task["status"] == "planned" for task in view.plan):
            return Reflected("continue", "subtasks are still open")
        if any(artifact["role"] in ("writer", "skeptic") for artifact in view.artifacts):
            return Reflected("end", "what was found is written up")
        found = [artifact for artifact in view.artifacts if artifact["status"] == "done"]
        leads = _leads(view, found) if view.round <= FOLLOW_ROUNDS else []
        if leads:
            many = "a name" if len(leads) == 1 else f"{len(leads)} names"
            return Reflected("replan", f"{many} met on the way to follow", tuple(leads))
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


def _leads(view: ReflectionView, found: Sequence[Artifact]) -> list[str]:
    """Follow-up questions about names met and not asked about yet, each once."""
    if _WHY.match(view.question) or comparison(view.question):
        return []
    if split(view.question).independent:
        return []
    asked = [_plain(task["instruction"]) for task in view.plan]
    leads: dict[str, str] = {}
    for artifact in found:
        for name in artifact["entities"]:
            if not any(_plain(name) in earlier for earlier in [*asked, *leads]):
                followed = _followed(view.question, name, artifact)
                if followed is not None:
                    leads[_plain(followed)] = followed
    return list(leads.values())[:MOST_LEADS]


def _followed(question: str, name: str, artifact: Artifact) -> str | None:
    quotes = [c["quote"] for c in artifact["citations"] if name in " ".join(c["quote"].split())]
    return follow(question, name, quotes[0]) if quotes else None


def _next(view: PlanView) -> Iterator[Part]:
    for lead in view.leads:
        name = followed_name(view.question, lead)
        follows = lead not in view.guidance and 0 < len(name) < len(lead)
        yield Part(lead, (name,) if follows else ())


def _search(part: Part, number: int) -> DraftSubtask:
    draft: DraftSubtask = {
        "role": "searcher",
        "instruction": part.question,
        "expected_artifact": f"search {number}",
        "read_files": [],
        "names": list(part.names),
    }
    if part.topic:
        draft["topic"] = part.topic
    return draft


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
