from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.routes import (
    Found,
    after_checking,
    after_contextualizing,
    after_grading,
    after_rewriting,
    next_step,
)
from state.graph_state import GraphState, new_question

FOUND = st.builds(
    Found,
    sufficient=st.booleans(),
    relevant=st.integers(0, 20),
    retrieved=st.integers(0, 20),
    new=st.integers(0, 20),
)


def at(decision: str) -> GraphState:
    loop = {
        "decision": decision,
        "loop": 0,
        "query": "q",
        "new_chunks": 1,
        "reason": "",
        "chunks": [],
    }
    return {**new_question("q"), "loops": [loop], "timeline": [], "turn": 0}  # type: ignore[typeddict-item,return-value]


def test_enough_found_ends_the_loop_at_once():
    decision, reason = next_step(Found(True, 2, 8, 8), loop_count=0, max_loops=3)
    assert (decision, reason) == ("generate", "2 relevant chunks can answer it")


def test_nothing_relevant_asks_for_a_rewrite():
    decision, reason = next_step(Found(False, 0, 8, 8), loop_count=0, max_loops=3)
    assert (decision, reason) == ("transform_query", "none of 8 chunks is relevant")


def test_a_rewrite_that_found_nothing_new_ends_the_loop():
    assert next_step(Found(False, 0, 8, 0), loop_count=1, max_loops=3)[0] == "abstain"
    assert next_step(Found(False, 1, 8, 0), loop_count=1, max_loops=3)[0] == "generate"


@given(found=FOUND, max_loops=st.integers(0, 5), over=st.integers(0, 2))
def test_spent_loops_never_rewrite(found: Found, max_loops: int, over: int):
    decision, _ = next_step(found, loop_count=max_loops + over, max_loops=max_loops)
    assert decision == ("generate" if found.relevant else "abstain")


@given(found=FOUND, loop_count=st.integers(0, 5), max_loops=st.integers(0, 5))
def test_a_spent_budget_never_rewrites(found: Found, loop_count: int, max_loops: int):
    decision, _ = next_step(
        found, loop_count=loop_count, max_loops=max_loops, budget_spent="500 tokens are spent"
    )
    assert decision == ("generate" if found.relevant else "abstain")


@given(found=FOUND, loop_count=st.integers(0, 5), max_loops=st.integers(0, 5))
def test_nothing_relevant_never_generates_and_a_reason_is_always_given(
    found: Found, loop_count: int, max_loops: int
):
    decision, reason = next_step(found, loop_count=loop_count, max_loops=max_loops)
    assert reason
    assert found.relevant or decision != "generate"


def test_routers_follow_the_recorded_decision():
    assert after_grading(at("generate")) == "refine"
    assert after_grading(at("transform_query")) == "transform_query"
    assert after_grading(at("abstain")) == "abstain"
    assert after_rewriting(at("transform_query")) == "retrieve"
    assert after_rewriting(at("generate")) == "refine"
    assert after_rewriting(at("abstain")) == "abstain"


def test_a_checked_draft_is_recorded_sent_back_or_given_up():
    state = at("generate")
    assert after_checking({**state, "status": None}) == "generate"
    assert after_checking({**state, "status": "abstained"}) == "abstain"
    assert after_checking({**state, "status": "answered"}) == "record_turn"
    assert after_checking({**state, "status": "partial"}) == "record_turn"


def test_what_is_answered_already_is_not_searched_for():
    assert after_contextualizing(at("generate")) == "retrieve"
    assert after_contextualizing({**at("generate"), "status": "answered"}) == "record_turn"
