"""What was asked of a remote model, call by call, recorded for whoever wants to know."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from state.events import ModelCalled

_LOG: ContextVar[list[ModelCalled] | None] = ContextVar("calls", default=None)


def call_log() -> list[ModelCalled] | None:
    """Where the calls made on this thread are recorded, to be given to any other thread that makes
    some for it; None where nobody asked.
    """
    return _LOG.get()


@contextmanager
def recorded() -> Iterator[list[ModelCalled]]:
    """The calls that are made inside, in the order they began, for `told_of`."""
    calls: list[ModelCalled] = []
    token = _LOG.set(calls)
    try:
        yield calls
    finally:
        _LOG.reset(token)


def told_of(call: ModelCalled, node: str, started: float) -> ModelCalled:
    """The call as an event of a run that began at `started`."""
    return {**call, "node": node, "at_ms": round(call["at_ms"] - started * 1000, 3)}


@contextmanager
def recorded_call(
    log: list[ModelCalled] | None,
    operation: Literal["chat", "embeddings"],
    model: str,
    host: str,
    prompt: str | None = None,
) -> Iterator[ModelCalled]:
    """One call, recorded in `log` whether it comes to its end or not, its retries included. Its
    `at_ms` is time.perf_counter's; `prompt` the version of the prompt.
    """
    began = time.perf_counter()
    call: ModelCalled = {
        "event": "model_called",
        "node": "",
        "operation": operation,
        "model": model,
        "host": host,
        "prompt": prompt,
        "at_ms": began * 1000,
        "ms": 0.0,
        "input_tokens": 0,
        "output_tokens": 0,
        "failed": True,
    }
    if log is not None:
        log.append(call)
    try:
        yield call
        call["failed"] = False
    finally:
        call["ms"] = round((time.perf_counter() - began) * 1000, 3)
