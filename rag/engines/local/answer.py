"""Answers by quoting: snippets of the documents, each with its citation."""

from __future__ import annotations

from collections.abc import Sequence

from rag.engines.local.grader_model import grader_model
from rag.engines.protocol import Emit, Generated
from rag.question.parse import split_context
from rag.question.parts import is_near
from state.answer import UNSURE, AnswerPart, Citation
from state.graph_state import GraphState
from state.wording import LONGEST_QUESTION, shorten

MOST_OF_A_PART = 2
NOT_FOUND = "Not found in the documents: “{}”."


def generate(state: GraphState, emit: Emit) -> Generated:
    """The snippets of each part of the question, in order. A part that the collection does not
    cover is named in a warning, and shown the nearest snippets only if they are near at all.
    """
    most = MOST_OF_A_PART if len(state["parts"]) > 1 else None
    warnings: list[str] = []
    shown: list[Citation] = []
    for part, own in zip(state["parts"], state["passages"], strict=True):
        known = part["in_domain"] is None or grader_model().is_in_domain(part["in_domain"])
        near = known or is_near(part)
        if not known:
            told = UNSURE if near else NOT_FOUND
            typed, _ = split_context(part["question"]["text"])
            asked = shorten(typed, LONGEST_QUESTION)
            warnings.append(told.format(asked))
        if near:
            shown += [each for each in own[:most] if not _is_among(each, shown)]
    parts = tuple(map(snippet_part, shown))
    text = "\n\n".join(part["text"].rstrip() for part in parts)
    if text:
        emit(text)
    relevant = [each["confidence"] for each in state["grades"].values() if each["relevant"]]
    sure = max(filter(None, relevant), default=None)
    if text and sure is not None and sure < grader_model().relevant:
        warnings.append("These passages lie nearest to it; judge yourself whether they answer it.")
    return Generated(parts, complete=not warnings, warnings=tuple(warnings))


def snippet_part(located: Citation) -> AnswerPart:
    """A snippet as a part of an answer."""
    # A marker within code or a table would belong to it.
    last = located["shown"].rpartition("\n")[2]
    below = "\n" if last.startswith("    ") or "|" in last else ""
    return {"before": "\n\n", "text": located["shown"] + below, "quotes": [], "located": [located]}


def _is_among(one: Citation, shown: Sequence[Citation]) -> bool:
    """Whether the snippet overlaps one that is shown already for an earlier part."""
    return any(
        one["source"] == other["source"]
        and one["start_char"] < other["end_char"]
        and other["start_char"] < one["end_char"]
        for other in shown
    )
