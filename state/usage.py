"""Adding up what calls cost, by node and in all."""

from __future__ import annotations

from collections.abc import Iterable

from state.answer import NodeUsage, Spent, Usage

NO_CALLS: NodeUsage = {"llm_calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}

NO_USAGE: Usage = {
    "llm_calls": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cost_usd": 0.0,
    "by_node": {},
}


def sum_cost(one: float | None, other: float | None) -> float | None:
    """Both costs together; unknown (None) as soon as one is unknown."""
    return None if one is None or other is None else round(one + other, 8)


def add_usage(usage: Usage, node: str, spent: NodeUsage) -> Usage:
    """A new Usage with `spent` counted under `node`; `usage` is left as it was."""
    if not spent["llm_calls"]:
        return usage
    before = usage["by_node"].get(node)
    both: NodeUsage = spent if before is None else {**before, **spent, **_together(before, spent)}
    return {**_together(usage, spent), "by_node": {**usage["by_node"], node: both}}


def _together(one: Spent, other: Spent) -> Spent:
    return {
        "llm_calls": one["llm_calls"] + other["llm_calls"],
        "input_tokens": one["input_tokens"] + other["input_tokens"],
        "output_tokens": one["output_tokens"] + other["output_tokens"],
        "cost_usd": sum_cost(one["cost_usd"], other["cost_usd"]),
    }


def add_usages(usages: Iterable[Usage]) -> Usage:
    """All of them together, by node too."""
    whole = NO_USAGE
    for usage in usages:
        for node, spent in usage["by_node"].items():
            whole = add_usage(whole, node, spent)
    return whole
