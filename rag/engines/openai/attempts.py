"""One call to a model: retried within its time, its failures mapped, what was sent paid for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from rag.budget import BudgetSpent
from rag.endpoint.calls import Call
from rag.endpoint.failures import Failure, foreign_errors
from rag.endpoint.retry import Retries
from rag.engines.openai.prompts import Messages
from rag.engines.openai.token_accounting import settle
from rag.engines.openai.usage_meter import UsageMeter
from state.errors import ModelError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Attempts:
    """Of one model's calls: `count` retries at most, all within `seconds`."""

    count: int
    seconds: float
    price: tuple[float, float] | None
    describe: Callable[[Exception], Failure]

    def run(
        self, attempt: Callable[[float], T], messages: Messages, call: Call, meter: UsageMeter
    ) -> T:
        """`attempt(seconds left)`, again after each failure that may pass.

        Raises:
            ModelError: in the end there was no reply.
            BudgetSpent: a budget does not allow the call, or its time ran out during it.
        """
        left = meter.budget.seconds_left()
        seconds = self.seconds if left is None else min(self.seconds, left)
        try:
            with _untraced():
                return Retries(self.count, seconds).run(attempt, foreign_errors(), self.describe)
        except BudgetSpent:
            raise
        except ModelError:
            try:
                meter.budget.check()  # out of time rather than out of luck
            except BudgetSpent:
                # It was sent, and what was sent is paid for.
                settle(call, meter, messages, None, "", self.price)
                raise
            raise


def _untraced() -> Any:
    """LangSmith's variables in the environment do not send documents anywhere from here."""
    from langsmith import tracing_context

    return tracing_context(enabled=False)
