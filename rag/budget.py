"""Bounds what a question may spend in tokens, money and time, checked before every model call; and
records the calls that are made.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock

from state.answer import NodeUsage, Usage, add_usage
from state.errors import BudgetError
from state.events import ModelCalled
from state.graph_state import fresh
from state.settings import Settings

_LOG: ContextVar[list[ModelCalled]] = ContextVar("calls")


class BudgetSpent(BudgetError):  # noqa: N818 - a signal that only turns into an error uncaught
    """A budget of the question is spent.

    Whoever holds a supported answer by then catches it and ends with that answer, status
    partial; uncaught, it is the BudgetError of a question that has none.
    """


@dataclass(slots=True)
class Budget:
    """One question's limits and what was spent of them; None means no limit.

    `deadline` is in `clock`'s seconds. Safe to use from several threads.
    """

    max_tokens: int | None = None
    max_cost: float | None = None
    deadline: float | None = None
    clock: Callable[[], float] = time.monotonic
    tokens: int = 0
    cost: float = 0.0
    _lock: Lock = field(default_factory=Lock, repr=False)

    @classmethod
    def start(cls, settings: Settings, clock: Callable[[], float] = time.monotonic) -> Budget:
        """A budget whose time runs from now."""
        deadline = None if settings.timeout is None else clock() + settings.timeout
        return cls(settings.max_tokens, settings.max_cost, deadline, clock)

    @property
    def counts(self) -> bool:
        """Whether tokens or money are limited, so that a prompt is worth counting."""
        return self.max_tokens is not None or self.max_cost is not None

    def seconds_left(self) -> float | None:
        return None if self.deadline is None else self.deadline - self.clock()

    def check(self) -> None:
        """Raises BudgetSpent if nothing is left of a limit."""
        self.max_output_tokens(0, None)

    def max_output_tokens(self, input_tokens: int, price: tuple[float, float] | None) -> int | None:
        """Output tokens that a call with such a prompt may still produce; None: any number.

        `price` is USD per million input and output tokens, None where it is not known.

        Raises:
            BudgetSpent: the prompt alone would exceed what is left.
        """
        left = self.seconds_left()
        if left is not None and left <= 0:
            raise self.time_spent_error()
        per_input, per_output = price or (0.0, 0.0)
        rooms: list[int] = []
        with self._lock:
            if self.max_tokens is not None:
                rooms.append(self.max_tokens - self.tokens - input_tokens)
                if rooms[-1] <= 0:
                    raise BudgetSpent(_words("token", self.max_tokens), "Raise --max-tokens.")
            if self.max_cost is not None:
                money = self.max_cost - self.cost - input_tokens * per_input / 1e6
                if money <= 0:
                    raise BudgetSpent(_words("cost", self.max_cost), "Raise --max-cost.")
                if per_output > 0:
                    rooms.append(int(money * 1e6 / per_output))
        if rooms and min(rooms) <= 0:
            raise BudgetSpent("What is left of the budget buys no answer.", "Raise it.")
        return min(rooms, default=None)

    def time_spent_error(self) -> BudgetSpent:
        """The error to raise when the deadline has passed."""
        return BudgetSpent("The time budget of the question is spent.", "Raise --timeout.")

    def add(self, tokens: int, cost: float | None) -> None:
        with self._lock:
            self.tokens += tokens
            self.cost += cost or 0.0


def _words(kind: str, limit: float) -> str:
    amount = f"{limit:,} tokens" if kind == "token" else f"${limit:.10f}".rstrip("0").rstrip(".")
    return f"The {kind} budget of the question ({amount}) is spent."


@contextmanager
def record_calls() -> Iterator[list[ModelCalled]]:
    """Yields the list of the calls made inside, in the order they began, for `call_event`."""
    calls: list[ModelCalled] = []
    token = _LOG.set(calls)
    try:
        yield calls
    finally:
        _LOG.reset(token)


def call_event(call: ModelCalled, node: str, started: float) -> ModelCalled:
    """The call as an event of a run that began at `started`."""
    return {**call, "node": node, "at_ms": round(call["at_ms"] - started * 1000, 3)}


def add_calls(usage: Usage, node: str, calls: Iterable[ModelCalled]) -> Usage:
    """A new Usage with what the calls of `node` took, including calls that were cut off."""
    for call in calls:
        if call["input_tokens"]:
            spent: NodeUsage = {
                "llm_calls": 1,
                "input_tokens": call["input_tokens"],
                "output_tokens": call["output_tokens"],
                "cost_usd": call["cost_usd"],
            }
            if call["estimated"]:
                spent["estimated"] = True
            usage = add_usage(usage, node, spent)
    return usage


@contextmanager
def record_call(model: str, host: str) -> Iterator[ModelCalled]:
    """Records one call, its retries included, whether it comes to its end or not. Its `at_ms` is
    time.perf_counter's.
    """
    began = time.perf_counter()
    call = fresh(
        ModelCalled,
        event="model_called",
        model=model,
        host=host,
        at_ms=began * 1000,
        cost_usd=0.0,
        failed=True,
    )
    _LOG.get([]).append(call)
    try:
        yield call
        call["failed"] = False
    finally:
        call["ms"] = round((time.perf_counter() - began) * 1000, 3)
