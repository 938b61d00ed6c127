from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from state.answer import NO_USAGE, NodeUsage, add_usage

SPENT = st.fixed_dictionaries(
    {
        "llm_calls": st.integers(0, 5),
        "input_tokens": st.integers(0, 10_000),
        "output_tokens": st.integers(0, 10_000),
        "cost_usd": st.one_of(st.none(), st.floats(0, 10)),
    }
)


def spent(calls: int, cost: float | None) -> NodeUsage:
    return {"llm_calls": calls, "input_tokens": 10, "output_tokens": 5, "cost_usd": cost}


def test_an_unknown_price_makes_the_sum_unknown_and_not_too_small():
    usage = add_usage(NO_USAGE, "grade_documents", spent(1, None))
    usage = add_usage(usage, "generate", spent(1, 1.0))
    assert usage["cost_usd"] is None


@given(st.lists(st.tuples(st.sampled_from("abc"), SPENT), max_size=12))
def test_the_nodes_add_up_to_the_whole_and_nothing_is_mutated(calls: list):
    usage = NO_USAGE
    for node, one in calls:
        usage = add_usage(usage, node, one)
    for key in ("llm_calls", "input_tokens", "output_tokens"):
        assert usage[key] == sum(node[key] for node in usage["by_node"].values())
    assert NO_USAGE["by_node"] == {}


def test_what_was_counted_here_stays_marked_when_added_up():
    sent: NodeUsage = {"llm_calls": 1, "input_tokens": 1, "output_tokens": 1, "cost_usd": 0.0}
    counted: NodeUsage = {**sent, "estimated": True}
    usage = add_usage(add_usage(NO_USAGE, "generate", counted), "generate", sent)
    assert usage["by_node"]["generate"]["estimated"] is True
    assert "estimated" not in add_usage(NO_USAGE, "generate", sent)["by_node"]["generate"]
