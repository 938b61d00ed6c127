"""abstain: there is no sure answer, which is a result. The nearest passages are shown instead."""

from __future__ import annotations

import re
from itertools import chain

from langgraph.runtime import Runtime

from rag.citations.check import check_draft
from rag.dependencies import Dependencies
from rag.engines.local.answer import snippet_part
from rag.nodes.refine import snippets_of_parts
from rag.nodes.update import Update
from rag.question.parse import split_context
from rag.question.parts import is_near
from state.answer import UNSURE
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
    found = state["nearest"] or [*chain(*snippets_of_parts(state, deps))]
    nearest = check_draft([*map(snippet_part, found[:NEAREST])], [])
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
