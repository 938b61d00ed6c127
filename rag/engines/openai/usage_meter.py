"""The sum of what one node's calls used, charged to the question's budget as it grows."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

from rag.budget import Budget
from rag.endpoint.calls import Call, call_log
from rag.engines.openai.prices import cost_of
from state.answer import NodeUsage


@dataclass(slots=True)
class UsageMeter:
    """`cost` turns None with the first call whose price is not known. `log` is that of the
    thread that made the meter; `warnings` are of the calls themselves, one that
    `failed` was done without. Thread-safe.
    """

    budget: Budget
    calls: int = 0
    inputs: int = 0
    outputs: int = 0
    cost: float | None = 0.0
    estimated: bool = False
    log: list[Call] | None = field(default_factory=call_log)
    warnings: list[str] = field(default_factory=list)
    failed: bool = False
    _lock: Lock = field(default_factory=Lock, repr=False)

    def add(
        self, inputs: int, outputs: int, price: tuple[float, float] | None, *, estimated: bool
    ) -> None:
        cost = cost_of(price, inputs, outputs)
        with self._lock:
            self.calls += 1
            self.inputs += inputs
            self.outputs += outputs
            self.cost = None if self.cost is None or cost is None else self.cost + cost
            self.estimated |= estimated
        self.budget.add(inputs + outputs, cost)

    def warn(self, line: str) -> None:
        with self._lock:
            self.warnings.append(line)

    @property
    def usage(self) -> NodeUsage:
        """`estimated` is there only where the server sent no counts of its own."""
        usage: NodeUsage = {
            "llm_calls": self.calls,
            "input_tokens": self.inputs,
            "output_tokens": self.outputs,
            "cost_usd": self.cost,
        }
        if self.estimated:
            usage["estimated"] = True
        return usage
