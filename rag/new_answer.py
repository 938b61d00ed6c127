"""An answer as a turn begins with it, and what is kept of a turn that failed: how far it came, and
where it ended.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from rag.engines.protocol import Engine
from rag.index.protocol import CollectionReader
from state.answer import ANSWER_SCHEMA, FAILED, Answer, NodeUsage, Status
from state.errors import CragError
from state.events import Event, FailedEvent
from state.settings import Settings
from state.usage import NO_USAGE, add_usage

if TYPE_CHECKING:
    from rag.dependencies import Dependencies


def new_answer(
    question: str,
    engine: Engine,
    reader: CollectionReader,
    settings: Settings,
    thread: str | None,
    trace_id: str,
) -> Answer:
    """Abstained, with empty text; the store gives the number of the turn."""
    return {
        "schema": ANSWER_SCHEMA,
        "status": "abstained",
        "question": question,
        "standalone_question": question,
        "answer": "",
        "citations": [],
        "claims": [],
        "dropped": [],
        "nearest": [],
        "missing": [],
        "loops": [],
        "loop_count": 0,
        "max_loops": settings.max_loops,
        "generation_retries": 0,
        "engine": {
            "name": engine.name,
            "model": engine.model,
            "embedder": str(reader.embedder.identity),
        },
        "usage": NO_USAGE,
        "timings_ms": {},
        "thread": thread,
        "turn": 0,
        "trace_id": trace_id,
        "warnings": [],
    }


def failure(error: Exception, events: Sequence[Event]) -> FailedEvent:
    """The event that says where and how a run with these `events` ended."""
    at: str | None = None
    for event in events:
        if event["event"] == "node_started":
            at = event["node"]
        elif event["event"] == "node_finished" and event["node"] == at:
            at = None
    named = isinstance(error, CragError)
    return {
        "event": "failed",
        "node": at,
        "error": type(error).__name__ if named else "Unexpected",
        "message": str(error) if named else f"unexpected {type(error).__name__}",
    }


def failed_turn(question: str, deps: Dependencies, events: Sequence[Event]) -> Answer:
    """The record of a trace whose turn has no answer; it is never shown as one.

    The time and the calls are those of the nodes that finished.
    """
    alone, usage, timings = question, NO_USAGE, dict[str, float]()
    loop_count = 0
    for event in events:
        if event["event"] == "contextualized":
            alone = event["standalone_question"]
        elif event["event"] == "retrieved":
            loop_count = event["loop"]
        elif event["event"] == "node_finished":
            timings[event["node"]] = timings.get(event["node"], 0.0) + event["ms"]
        elif event["event"] == "model_called" and event["operation"] != "embeddings":
            spent: NodeUsage = {
                "llm_calls": 1,
                "input_tokens": event["input_tokens"],
                "output_tokens": event["output_tokens"],
                "cost_usd": None,
            }
            usage = add_usage(usage, event["node"], spent)
    answer = new_answer(
        question, deps.engine, deps.reader, deps.settings, deps.thread, deps.trace_id
    )
    return {
        **answer,
        "status": cast("Status", FAILED),
        "standalone_question": alone,
        "loop_count": loop_count,
        "usage": usage,
        "timings_ms": {"total": (time.perf_counter() - deps.started) * 1000, **timings},
    }
