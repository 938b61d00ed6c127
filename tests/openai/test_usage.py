from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from state.answer import NO_USAGE, add_usage

SPENT = st.fixed_dictionaries(
    {
        "llm_calls": st.integers(0, 5),
        "input_tokens": st.integers(0, 10_000),
        "output_tokens": st.integers(0, 10_000),
        "cost_usd": st.one_of(st.none(), st.floats(0, 10)),
    }
)


@given(st.lists(st.tuples(st.sampled_from("abc"), SPENT), max_size=12))
def test_the_nodes_add_up_to_the_whole_and_nothing_is_mutated(calls: list):
    usage = NO_USAGE
    for node, one in calls:
        usage = add_usage(usage, node, one)
    for key in ("llm_calls", "input_tokens", "output_tokens"):
        assert usage[key] == sum(node[key] for node in usage["by_node"].values())
    assert NO_USAGE["by_node"] == {}
