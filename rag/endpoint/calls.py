"""What was asked of a remote model, call by call, recorded for whoever wants to know."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from state.events import ModelCalled


Operation = Literal["chat", "embeddings"]


@dataclass(slots=True)
class Call:
    """`began` and `ended` are time.perf_counter's seconds, retries included. `prompt` is the
    version of the prompt. A call that `failed` counts no tokens.
    """

    operation: Operation
    model: str
    host: str
    prompt: str | None
    began: float
    ended: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    failed: bool = True

    def event(self, node: str, started: float) -> ModelCalled:
        """The call as an event of a run that began at `started`."""
        return {
            "event": "model_called",
            "node": node,
            "operation": self.operation,
            "model": self.model,
            "host": self.host,
            "prompt": self.prompt,
            "at_ms": round((self.began - started) * 1000, 3),
            "ms": round((self.ended - self.began) * 1000, 3),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "failed": self.failed,
        }


_LOG: ContextVar[list[Call] | None] = ContextVar("calls", default=None)


def call_log() -> list[Call] | None:
    """Where the calls made on this thread are recorded, to be given to any other thread that makes
    some for it; None where nobody asked.
    """
    return _LOG.get()


@contextmanager
def recorded() -> Iterator[list[Call]]:
    """The calls that are made inside, in the order they began."""
    calls: list[Call] = []
    token = _LOG.set(calls)
    try:
        yield calls
    finally:
        _LOG.reset(token)


@contextmanager
def recorded_call(
    log: list[Call] | None, operation: Operation, model: str, host: str, prompt: str | None = None
) -> Iterator[Call]:
    """One call, recorded in `log` whether it comes to its end or not."""
    call = Call(operation, model, host, prompt, time.perf_counter())
    if log is not None:
        log.append(call)
    try:
        yield call
        call.failed = False
    finally:
        call.ended = time.perf_counter()
