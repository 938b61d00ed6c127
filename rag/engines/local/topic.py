"""Questions about a topic at large, such as "What is a trait?": much of a collection speaks of it.

The labelled sets that the grader is fitted on have one right passage or two a question, and the
right one stands out. Where half a book speaks of a thing, none does, and the grader, left to
itself, would find nothing relevant in a book that is about nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from rag.answering.question import AnswerKind, analyse
from rag.engines.local.asked import Asked
from rag.engines.local.field import Field
from rag.engines.local.words import read_terms
from rag.text.definitions import OUTRIGHT, definition_asked
from state.passages import RetrievedChunk

_MOST_TERMS = 2
_LEAST_CHUNKS = 5
_TAKEN = 3
_KINDS = (AnswerKind.DEFINITION, AnswerKind.LIST, AnswerKind.MANNER)
_COMPARES = re.compile(
    r"\b(?:differences? between|differ from|compared? (?:to|with)|vs\.?|versus)\s", re.IGNORECASE
)


def defining_chunks(field: Field, chunks: Sequence[RetrievedChunk]) -> Collection[str]:
    """The ids of those that say outright what the thing is that is asked to be defined."""
    definition = definition_asked(field.asked.text)
    if definition is None:
        return ()
    saying = [chunk for chunk in chunks if definition.said_in(chunk["text"]) == OUTRIGHT]
    return [chunk["chunk_id"] for chunk in saying[:_TAKEN]]


def topic_chunks(
    field: Field, chunks: Sequence[RetrievedChunk], confidences: Mapping[str, float]
) -> Collection[str]:
    """The ids of those `chunks` that speak of the topic most; none for any other question.

    Those that say what it is come first, then those under a title or heading that names it,
    then the likelier ones.
    """
    if not _is_topic(field.asked):
        return ()
    matter = set(field.asked.matter)
    speaking = [chunk for chunk in chunks if matter <= read_terms(chunk).held]
    if sum(matter <= read_terms(chunk).held for chunk in field.top) < _LEAST_CHUNKS:
        return ()
    definition = definition_asked(field.asked.text)
    speaking.sort(
        key=lambda chunk: (
            -definition.said_in(chunk["text"]) if definition else 0.0,
            not matter <= set(read_terms(chunk).head),
            -confidences[chunk["chunk_id"]],
        )
    )
    return [chunk["chunk_id"] for chunk in speaking[:_TAKEN]]


def _is_topic(asked: Asked) -> bool:
    if not 1 <= len(asked.matter) <= _MOST_TERMS:
        return False
    if any(asked.counts[term] < _LEAST_CHUNKS for term in asked.matter):
        return False
    return analyse(asked.text).kind in _KINDS or bool(_COMPARES.search(asked.text))
