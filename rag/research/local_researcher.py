"""Planning, composing and reflecting by code: research without a model.

Each part of a question is a search of its own, names met in what one finds are followed to the
documents that bear them, and the report quotes what was found, part by part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.index.protocol import CollectionReader
from rag.index.terms import term_spans, terms
from rag.question.parts import split_alone
from rag.research.researcher import (
    Composed,
    DraftSubtask,
    Planned,
    ReadFile,
    Reflected,
    View,
    draft_of,
)
from rag.research.roles import Role
from state.answer import Citation
from state.passages import Passage
from state.research_state import EVERYTHING

WRITER = "writer"
FOLLOW_ROUNDS = 1
"""Of two-hop questions a second round of following finds no more."""
MOST_PARTS, MOST_LEADS = 7, 4
"""With the writer no more than a plan may hold."""
MOST_FOLLOWED = 2
_SEARCHED = 20
_OPEN, _CLOSE = "“", "”: "


class LocalResearcher:
    """A `Researcher` over one collection."""

    def __init__(self, collection: CollectionReader) -> None:
        self._collection = collection

    def plan(self, view: View) -> Planned:
        """A search for each part, or for each lead, and the writer, who waits for them."""
        asked = view.leads if view.plan else [view.question]
        drafts = [_search(part) for lead in asked for part in self._parts(lead)]
        if _has_writer(view.roles):
            drafts.append(draft_of(WRITER, view.question, [EVERYTHING]))
        return Planned(tuple(drafts))

    def compose(
        self,
        role: Role,
        instruction: str,
        files: Sequence[ReadFile],
        passages: Sequence[Passage],  # noqa: ARG002
    ) -> Composed:
        """The writer's report: what was found, as it was found, under what was asked."""
        if role.searches:
            return Composed(instruction)
        if role.name != WRITER:
            return Composed("")
        told = (
            file.content if file.asked == instruction else f"## {file.asked}\n\n{file.content}"
            for file in files
        )
        return Composed("\n\n".join(told), quoted=True)

    def reflect(self, view: View) -> Reflected:
        if any(task["status"] == "planned" for task in view.plan):
            return Reflected("continue", "subtasks are still open")
        leads = list(self._leads(view))[:MOST_LEADS] if view.round < FOLLOW_ROUNDS else []
        if leads:
            many = "a document" if len(leads) == 1 else f"{len(leads)} documents"
            return Reflected("replan", f"{many} named on the way to follow", tuple(leads))
        found = any(artifact["status"] == "done" for artifact in view.artifacts)
        written = any(artifact["role"] == WRITER for artifact in view.artifacts)
        if found and not written and _has_writer(view.roles):
            return Reflected("replan", "nothing is left to follow; write up what was found")
        if found:
            return Reflected("end", "what was found is quoted")
        return Reflected(
            "escalate",
            "no subtask found anything",
            question=(
                "Nothing found answers this. Which name, term or document should be searched "
                "instead?"
            ),
        )

    def _parts(self, question: str) -> list[str]:
        """Each to be asked by itself."""
        if followed(question) is not None:
            return [question]
        return split_alone(question, self._collection, MOST_PARTS)

    def _leads(self, view: View) -> Iterator[str]:
        """Each document once, unless it was asked already."""
        met = {followed(task["instruction"]) for task in view.plan}
        for artifact in view.artifacts:
            if artifact["role"] != "searcher" or artifact["status"] != "done":
                continue
            question = artifact["instruction"]
            for lead in leads_from(question, artifact["citations"], self._collection):
                if followed(lead) not in met:
                    met.add(followed(lead))
                    yield lead


def _has_writer(roles: Sequence[Role]) -> bool:
    return any(role.name == WRITER for role in roles)


def _search(part: str) -> DraftSubtask:
    title = followed(part)
    draft = draft_of("searcher", part, [])
    return draft if title is None else {**draft, "names": [title]}


def leads_from(
    question: str, citations: Sequence[Citation], collection: CollectionReader
) -> list[str]:
    """What to ask of each document that the question or a cited passage names, that is not cited
    itself, and that holds something of what the passages leave open; the one that holds most of
    it first. "The bridge was designed by Anna Berg" answers half of "Where was its engineer
    born?"; the other half stands in the document that is called "Anna Berg".
    """
    told = {term for c in citations for term in terms(f"{c['title'] or ''} {c['passage']}")}
    spans = [(start, end, set(found) - told) for start, end, found in term_spans(question)]
    left = {term for *_, found in spans for term in found}
    words = " ".join(question[start:end] for start, end, found in spans if found)
    cited = {citation["source"] for citation in citations}
    passages = list(dict.fromkeys(citation["passage"] for citation in citations))
    met = "\n".join([question, *passages])
    held: dict[str, int] = {}
    for query in [question, *passages] if left and passages else ():
        for chunk in collection.search(query, _SEARCHED):
            title = chunk["title"]
            if title and chunk["source"] not in cited and _names(met, title):
                new = len(left & set(terms(f"{title} {chunk['text']}")))
                held[title] = max(new, held.get(title, 0))
    best = sorted(filter(held.get, held), key=lambda title: -held[title])
    return [f"{_OPEN}{title}{_CLOSE}{words}" for title in best[:MOST_FOLLOWED]]


def followed(lead: str) -> str | None:
    """The title of the document that a lead asks of, if it asks of one."""
    title, close, _ = lead.removeprefix(_OPEN).partition(_CLOSE)
    return title if close and lead.startswith(_OPEN) else None


def _names(text: str, title: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(_name(title))}(?!\w)", text) is not None


def _name(title: str) -> str:
    """As it is written elsewhere, without what tells it from its like, as in "Rush (band)"."""
    return title.partition(" (")[0]
