"""What a turn is given besides its question: one frozen object, never stored; and its answer as it
begins.

It travels as LangGraph's run-time context, so no key of the settings can reach a
checkpoint, and the nodes open nothing themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag.embed.builtin import builtin_embedder
from rag.engines.protocol import Engine
from rag.index.reader import CollectionReader
from rag.reading.reranker import Reranker
from state.answer import ANSWER_SCHEMA, NO_USAGE, Answer
from state.graph_state import fresh, picked
from state.passages import HistoryTurn, RetrievedChunk
from state.settings import Settings

Record = Callable[[Answer], int]
"""Keeps a finished turn and returns its number in the thread, from 1."""

SearchMore = Callable[[str, int], Sequence[RetrievedChunk]]
"""A second retriever, asked where the documents do not hold an answer."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """`history` takes the earlier turns that the checkpoint holds, and gives those that this turn
    may see, oldest first; None where no turn is stored. `pin` makes the turn a milestone.
    """

    settings: Settings
    reader: CollectionReader
    reranker: Reranker
    engine: Engine
    trace_id: str
    thread: str | None = None
    history: Callable[[Sequence[HistoryTurn]], Sequence[HistoryTurn]] | None = None
    pin: bool = False
    record: Record = lambda _answer: 1
    search_web: SearchMore | None = None
    started: float = field(default_factory=time.perf_counter)


def new_answer(
    question: str,
    engine: Engine,
    settings: Settings,
    thread: str | None,
    trace_id: str,
    told: Mapping[str, Any],
) -> Answer:
    """An answer with the fields of it that are `told`, in the order of the type; else it has
    abstained, with empty text. The store gives it a turn's number.
    """
    embedder = str(builtin_embedder().identity)
    answer = fresh(
        Answer,
        schema=ANSWER_SCHEMA,
        status="abstained",
        question=question,
        standalone_question=question,
        max_loops=settings.max_loops,
        engine={"name": engine.name, "model": engine.model, "embedder": embedder},
        usage=NO_USAGE,
        thread=thread,
        trace_id=trace_id,
    )
    return picked(Answer, {**answer, **told})
