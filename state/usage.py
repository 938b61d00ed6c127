"""Adding up what calls cost, by node and in all."""

from __future__ import annotations

from collections.abc import Iterable

from state.answer import NodeUsage, Usage

NO_CALLS: NodeUsage = {
    "llm_calls": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cost_usd": 0.0,
}

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
    whole: NodeUsage = {
        "llm_calls": usage["llm_calls"],
        "input_tokens": usage["input_tokens"],
        "output_tokens": usage["output_tokens"],
        "cost_usd": usage["cost_usd"],
    }
    by_node = {**usage["by_node"], node: spent if before is None else _together(before, spent)}
    both = _together(whole, spent)
    return {
        "llm_calls": both["llm_calls"],
        "input_tokens": both["input_tokens"],
        "output_tokens": both["output_tokens"],
        "cost_usd": both["cost_usd"],
        "by_node": by_node,
    }


def _together(one: NodeUsage, other: NodeUsage) -> NodeUsage:
    both: NodeUsage = {
        "llm_calls": one["llm_calls"] + other["llm_calls"],
        "input_tokens": one["input_tokens"] + other["input_tokens"],
        "output_tokens": one["output_tokens"] + other["output_tokens"],
        "cost_usd": sum_cost(one["cost_usd"], other["cost_usd"]),
    }
    if one.get("estimated") or other.get("estimated"):
        both["estimated"] = True
    return both


def add_usages(usages: Iterable[Usage]) -> Usage:
    """All of them together, by node too."""
    whole = NO_USAGE
    for usage in usages:
        for node, spent in usage["by_node"].items():
            whole = add_usage(whole, node, spent)
    return whole
