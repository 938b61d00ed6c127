"""abstain: there is no sure answer, which is a result. The nearest passages are shown instead."""

from __future__ import annotations

import re

from langgraph.runtime import Runtime

from rag.citations.check import check_draft
from rag.dependencies import Dependencies
from rag.engines.local.answer import snippet_part
from rag.nodes.update import Update
from rag.question.parse import split_context
from rag.question.parts import is_near
from rag.reading.snippets import shown_snippets
from state.answer import UNSURE, Citation
from state.graph_state import GraphState
from state.wording import LONGEST_QUESTION, shorten

REFUSED = "The model found no answer to “{}”."
DENIED = "What the model answers to “{}” is left out: its own sources say otherwise."
ABSENT = "No answer to “{}” was found in the documents."
NEAREST = 3
_THEY = re.compile(r"^They\b")
LONGEST_REFUSAL = 500


def abstain(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    found = (state["nearest"] or _found(state, deps))[:NEAREST]
    nearest = check_draft([*map(snippet_part, found)], [])
    points = bool(state["nearest"])
    told = points or (state["refusal"] is None and any(map(is_near, state["parts"])))
    shown = nearest.text if told else ""
    of_model = DENIED if state["dropped"] else REFUSED
    said = of_model if deps.engine.model is not None else UNSURE if shown else ABSENT
    words = _THEY.sub("The documents", shorten(state["refusal"] or "", LONGEST_REFUSAL))
    why = words or ("The nearest passages:" if shown else "")
    head = said.format(shorten(split_context(state["standalone_question"])[0], LONGEST_QUESTION))
    return {
        "generation": f"{head} {why}\n\n{shown}".rstrip(),
        "citations": [],
        "claims": state["claims"] if state["dropped"] else [],
        "nearest": nearest.citations,
        "status": "abstained",
    }


def _found(state: GraphState, deps: Dependencies) -> list[Citation]:
    """The nearest passages as code finds them, for where the model pointed at none."""
    questions = [part["question"] for part in state["parts"]]
    snippets = shown_snippets(
        questions, state["documents"], deps.reranker, deps.reader, full=deps.settings.full
    )
    return [snippet["located"] for snippet in snippets]
