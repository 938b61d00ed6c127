"""An empty answer: the question, the engine and the run's ids, all else as it begins."""

from __future__ import annotations

from rag.embed.protocol import EmbedderIdentity
from rag.engines.protocol import Engine
from state.answer import ANSWER_SCHEMA, Answer
from state.usage import NO_USAGE


def new_answer(
    question: str,
    engine: Engine,
    embedder: EmbedderIdentity,
    *,
    max_loops: int,
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
        "clarify": [],
        "loops": [],
        "loop_count": 0,
        "max_loops": max_loops,
        "generation_retries": 0,
        "engine": {"name": engine.name, "model": engine.model, "embedder": str(embedder)},
        "usage": NO_USAGE,
        "timings_ms": {},
        "thread": thread,
        "turn": 0,
        "trace_id": trace_id,
        "warnings": [],
    }
