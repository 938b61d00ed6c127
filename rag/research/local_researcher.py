"""Planning, searching and reflecting by code: research without a model.

Each part of a question is a search of its own, answered by what the corrective graph shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rag.engines.local.answer import snippet_part
from rag.question.parse import ASKS, VERBS
from rag.question.parts import ASKING, split_alone
from rag.research.researcher import SEARCHER, DraftSubtask, ReadFiles, Reflected
from rag.research.run_view import RunView
from state.answer import Answer
from state.graph_state import fresh
from state.research_state import Finding, Found, Subtask

MOST_PARTS = 7
_NEXT = re.compile(
    rf",\s+(?:and\s+)?(?=(?:{ASKS}|{VERBS})\s)|,\s+and\s+(?=(?:if|while|once)\s"
    rf"|[^,?]{{1,30}},\s+(?:{ASKS})\s)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    rf"\W*(?:when|where|while|once|if)\s(?!\W*(?:(?:{VERBS}|might|shall)(?:n['’]t)?|to|in|on|at|of"
    r"|and|else|exactly)\b)",
    re.IGNORECASE,
)
_BY_VERB = re.compile(rf"(?:{VERBS})\b", re.IGNORECASE)
_ASKED = "Nothing found answers this. Which name, term or document should be searched instead?"

Corrective = Callable[[str], Answer]
"""One question through the corrective graph; thread-safe."""


class LocalResearcher:
    """A `Researcher` that asks the corrective graph."""

    writes = False
    one_by_one = False

    def __init__(self, corrective: Corrective) -> None:
        self._corrective = corrective

    def plan(self, view: RunView) -> tuple[list[DraftSubtask], list[str]]:
        """A search for each part of the question, or of what the person said when asked."""
        state = view.state
        asked = state["leads"] if state["plan"] else [state["question"]]
        return [draft for each in asked for draft in drafts_of_parts(each)], []

    def work(self, task: Subtask, read: ReadFiles) -> Found:  # noqa: ARG002
        """The corrective graph's answer, or, if it is not sure of one, the nearest passages."""
        answer = self._corrective(task["instruction"])
        findings: list[Finding] = [
            {"text": snippet_part(citation)["text"], "markers": [citation["marker"]]}
            for citation in answer["citations"]
        ]
        return fresh(
            Found,
            searched=[loop["query"] for loop in answer["loops"]],
            findings=findings,
            citations=answer["citations"],
            missing=[] if findings else [task["instruction"]],
            nearest=[] if findings else answer["nearest"],
        )

    def reflect(self, view: RunView) -> Reflected:
        if any(artifact["status"] == "done" for artifact in view.artifacts):
            return Reflected("end", "what was found is shown")
        return Reflected("escalate", "no subtask found anything", question=_ASKED)


def drafts_of_parts(question: str) -> list[DraftSubtask]:
    """A search for each part of the question."""
    return [DraftSubtask(role=SEARCHER, instruction=part) for part in asked_parts(question)]


def asked_parts(question: str) -> list[str]:
    """What the question asks, each part standing alone, also of a list of questions as in "How long
    is it, who built it, and is it open?"; a piece that asks nothing belongs to the next, as in
    "When it rains, is it open?".
    """
    pieces: list[str] = []
    asks = True
    split = _NEXT.split(question)
    for piece, following in zip(split, [*split[1:], ""], strict=True):
        if asks:
            pieces.append(piece)
        else:
            pieces[-1] += f", {piece}"
        before = len(pieces) == 1 or _BY_VERB.match(following) is not None
        asks = ASKING.search(piece) is not None and not (before and _CONDITION.match(piece))
    return split_alone("? ".join(pieces), MOST_PARTS)
