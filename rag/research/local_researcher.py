"""Planning, searching and reflecting by code: research without a model.

Each part of a question is a search of its own, names met in what one finds are followed to the
documents that bear them, and the report shows what was found, part by part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from rag.index.protocol import CollectionReader
from rag.index.terms import term_spans, terms
from rag.question.parts import split_alone
from rag.research.numbering import ReadFiles
from rag.research.researcher import DraftSubtask, Found, Planned, Reflected, View
from rag.research.roles import Role
from state.answer import Answer, Citation
from state.research_state import Finding, Subtask

FOLLOW_ROUNDS = 1
"""Of two-hop questions a second round of following finds no more."""
MOST_PARTS, MOST_LEADS = 7, 4
MOST_FOLLOWED = 2
MOST_SHOWN = 600
"""Characters shown of what was found for a part, the best first."""
_SEARCHED = 20
_OPEN, _CLOSE = "“", "”: "
_ASKED = "Nothing found answers this. Which name, term or document should be searched instead?"

Corrective = Callable[[str], Answer]
"""One question through the corrective graph; thread-safe."""


class LocalResearcher:
    """A `Researcher` over one collection."""

    writes = False

    def __init__(self, collection: CollectionReader, corrective: Corrective) -> None:
        self._collection = collection
        self._corrective = corrective

    def plan(self, view: View) -> Planned:
        """A search for each part, or for each lead."""
        asked = view.leads if view.plan else [view.question]
        drafts = [self._search(part) for lead in asked for part in self._parts(lead)]
        return Planned(tuple(drafts))

    def search(self, role: Role, task: Subtask, read: ReadFiles) -> Found:  # noqa: ARG002
        """By the corrective graph. Of a document that is followed nothing is missing: it is asked
        on the chance.
        """
        answer = self._corrective(task["instruction"])
        findings = [] if answer["status"] == "abstained" else list(_findings(answer))
        followed = task["documents"]
        if followed:
            own = {c["marker"] for c in answer["citations"] if c["source"] in followed}
            findings = [finding for finding in findings if own & set(finding["markers"])]
        return Found(
            findings=findings,
            citations=answer["citations"],
            missing=() if findings or followed else (task["instruction"],),
            queries=tuple(loop["query"] for loop in answer["loops"]),
            trace_id=answer["trace_id"],
        )

    def compose(self, role: Role, task: Subtask, read: ReadFiles) -> Found:  # noqa: ARG002
        """Nothing: code does not write."""
        return Found()

    def reflect(self, view: View) -> Reflected:
        leads = list(self._leads(view))[:MOST_LEADS] if view.round < FOLLOW_ROUNDS else []
        if leads:
            many = "a document" if len(leads) == 1 else f"{len(leads)} documents"
            return Reflected("replan", f"{many} named on the way to follow", tuple(leads))
        if any(artifact["status"] == "done" for artifact in view.artifacts):
            return Reflected("end", "what was found is shown")
        return Reflected("escalate", "no subtask found anything", question=_ASKED)

    def _parts(self, question: str) -> list[str]:
        """Each to be asked by itself."""
        if followed(question) is not None:
            return [question]
        return split_alone(question, self._collection, MOST_PARTS)

    def _search(self, part: str) -> DraftSubtask:
        draft: DraftSubtask = {"role": "searcher", "instruction": part}
        title = followed(part)
        if title is not None:
            found = self._collection.search(part, _SEARCHED)
            sources = [chunk["source"] for chunk in found if chunk["title"] == title]
            draft["read_files"] = sources[:1]
            draft["heading"] = title
        return draft

    def _leads(self, view: View) -> Iterator[str]:
        """Each document once, unless it was asked already."""
        met = {followed(task["instruction"]) for task in view.plan}
        for artifact in view.artifacts:
            if artifact["status"] == "done":
                question, citations = artifact["instruction"], artifact["citations"]
                for lead in leads_from(question, citations, self._collection):
                    if followed(lead) not in met:
                        met.add(followed(lead))
                        yield lead


def _findings(answer: Answer) -> Iterator[Finding]:
    """What the answer claims, the first always, the others within MOST_SHOWN."""
    left = MOST_SHOWN
    for claim in answer["claims"]:
        if claim["verdict"] == "contradicted" or not claim["citations"]:
            continue
        if left < MOST_SHOWN and len(claim["text"]) > left:
            break
        left -= len(claim["text"])
        yield {"text": claim["text"], "markers": claim["citations"]}


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
    """As it is written elsewhere, without what tells it from its like, as in "Rush (band)"."""
    name = title.partition(" (")[0]
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
