import json
from typing import Annotated, Literal, TypedDict, get_type_hints

import pytest

from state.graph_state import GraphState, QuestionState, ThreadState, fresh, new_question


def test_the_two_lifetimes_share_no_field_make_up_the_state_and_the_second_is_reset():
    thread, question = set(get_type_hints(ThreadState)), set(get_type_hints(QuestionState))
    assert set(new_question()) == question
    assert not thread & question
    assert set(get_type_hints(GraphState)) == thread | question
    assert {"question", "documents", "generation", "loop_count", "max_loops"} <= question
    assert {"retrieval_scores", "query_rewrites", "timing_metrics"} <= question


def test_a_fresh_question_is_json_and_shares_nothing_with_the_last():
    one, other = new_question("a"), new_question("b", max_loops=5)
    one["documents"].append({})  # type: ignore[typeddict-item]
    one["usage"]["by_node"]["x"] = {}  # type: ignore[typeddict-item]
    assert other["documents"] == []
    assert other["usage"]["by_node"] == {}
    assert json.loads(json.dumps(other)) == other
    assert (other["question"], other["max_loops"], other["loop_count"]) == ("b", 5, 0)


def test_a_new_field_is_reset_without_being_named():
    class Wider(QuestionState):
        attempts: Annotated[list[str], "channel"]

    assert fresh(Wider)["attempts"] == []


def test_a_field_without_an_empty_value_is_refused_unless_it_is_given():
    class Odd(TypedDict):
        mode: Literal["a", "b"]

    with pytest.raises(TypeError, match="no empty value"):
        fresh(Odd)
    assert fresh(Odd, mode="b") == {"mode": "b"}
