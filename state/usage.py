"""Adding up what calls cost, by node and in all."""

from __future__ import annotations

from state.answer import NodeUsage, Usage


def sum_cost(one: float | None, other: float | None) -> float | None:
    """Both costs together; unknown (None) as soon as one is unknown."""
    return None if one is None or other is None else round(one + other, 8)


def add_usage(usage: Usage, node: str, spent: NodeUsage) -> Usage:
    """A new Usage with `spent` counted under `node`; `usage` is left as it was."""
    before = usage["by_node"].get(node)
    return {
        "llm_calls": usage["llm_calls"] + spent["llm_calls"],
        "input_tokens": usage["input_tokens"] + spent["input_tokens"],
        "output_tokens": usage["output_tokens"] + spent["output_tokens"],
        "cost_usd": sum_cost(usage["cost_usd"] or 0.0, spent["cost_usd"])
        if usage["llm_calls"] == 0
        else sum_cost(usage["cost_usd"], spent["cost_usd"]),
        "by_node": {
            **usage["by_node"],
            node: spent if before is None else _together(before, spent),
        },
    }


def _together(one: NodeUsage, other: NodeUsage) -> NodeUsage:
    return {
        "llm_calls": one["llm_calls"] + other["llm_calls"],
        "input_tokens": one["input_tokens"] + other["input_tokens"],
        "output_tokens": one["output_tokens"] + other["output_tokens"],
        "cost_usd": sum_cost(one["cost_usd"], other["cost_usd"]),
    }
