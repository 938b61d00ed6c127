"""Calls to one model: each recorded, retried within its time, its failures mapped, and paid for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from rag.budget import BudgetSpent
from rag.endpoint.calls import Operation, recorded_call
from rag.endpoint.failures import Failure
from rag.endpoint.retry import Retries
from rag.engines.openai.prompts import Messages, version_of
from rag.engines.openai.usage_meter import UsageMeter
from state.errors import ModelError

if TYPE_CHECKING:
    from langchain_core.messages.ai import UsageMetadata

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Attempts:
    """`count` retries of a call at most, all within `seconds`."""

    operation: Operation
    model: str
    host: str
    price: tuple[float, float] | None
    count: int
    seconds: float
    describe: Callable[[Exception], Failure]

    def run(
        self,
        attempt: Callable[[float], T],
        used: Callable[[T], tuple[UsageMetadata | None, str]],
        messages: Messages,
        meter: UsageMeter,
    ) -> T:
        """`attempt(seconds left)`, again after each failure that may pass; `used` gives the
        tokens of a reply as its server counted them, and what was written.

        Raises:
            ModelError: in the end there was no reply.
            BudgetSpent: a budget does not allow the call, or its time ran out during it.
        """
        from langsmith import tracing_context

        left = meter.budget.seconds_left()
        seconds = self.seconds if left is None else min(self.seconds, left)
        version = version_of(messages)
        with recorded_call(meter.log, self.operation, self.model, self.host, version) as call:
            try:
                # LangSmith's variables in the environment do not send documents anywhere from here.
                with tracing_context(enabled=False):
                    reply = Retries(self.count, seconds).run(attempt, self.describe)
            except ModelError:
                try:
                    meter.budget.check()  # out of time rather than out of luck
                except BudgetSpent:
                    # It was sent, and what was sent is paid for.
                    meter.settle(call, messages, None, "", self.price)
                    raise
                raise
            meter.settle(call, messages, *used(reply), self.price)
        return reply
