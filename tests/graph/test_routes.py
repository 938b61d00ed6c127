import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.routes import after_checking, after_grading, after_rewriting, decide
from state.graph_state import GraphState, new_question


def at(sufficient=False, relevant=0, retrieved=8, new=8, **more: object) -> GraphState:
    """The state after a grading; `retrieved` and `new` are the last loop's chunks."""
    known = max(relevant, retrieved)
    return {  # type: ignore[typeddict-item,return-value]
        **new_question("q"),
        "timeline": [],
        "sufficient": sufficient,
        "grades": {str(n): {"chunk_id": str(n), "relevant": n < relevant} for n in range(known)},
        "retrieval_scores": {str(n): 1.0 for n in range(retrieved)},
        "new_documents": [str(n) for n in range(new)],
        **more,
    }


COUNTS = dict.fromkeys(("relevant", "retrieved", "new"), st.integers(0, 20))
FOUND = st.builds(at, sufficient=st.booleans(), **COUNTS)


def relevant(state: GraphState) -> bool:
    return any(grade["relevant"] for grade in state["grades"].values())


def test_enough_found_or_nothing_new_ends_the_loop_and_nothing_relevant_asks_for_a_rewrite():
    assert decide(at(True, 2)) == ("generate", "2 relevant chunks can answer it")
    assert decide(at()) == ("transform_query", "none of 8 chunks is relevant")
    assert decide(at(retrieved=0)) == ("transform_query", "nothing found")
    assert decide(at(new=0, loop_count=1))[0] == "abstain"
    assert decide(at(new=0, loop_count=1, relevant=1))[0] == "generate"


@given(found=FOUND, max_loops=st.integers(0, 5), over=st.integers(0, 2))
def test_spent_loops_never_rewrite(found: GraphState, max_loops: int, over: int):
    state: GraphState = {**found, "loop_count": max_loops + over, "max_loops": max_loops}
    assert decide(state)[0] == ("generate" if relevant(found) else "abstain")


@given(found=FOUND, loop_count=st.integers(0, 5), max_loops=st.integers(0, 5))
def test_nothing_relevant_never_generates_and_a_reason_is_given(found, loop_count, max_loops):
    decision, reason = decide({**found, "loop_count": loop_count, "max_loops": max_loops})
    assert reason
    assert relevant(found) or decision != "generate"


@given(found=FOUND, why=st.text(), web=st.sampled_from([None, "allowed", "searched"]))
def test_without_a_better_query_no_loop_runs(found: GraphState, why: str, web: str | None):
    state: GraphState = {**found, "no_query": why, "web": web}  # type: ignore[typeddict-item]
    given_up = "search_web" if web == "allowed" else "abstain"
    assert after_rewriting(state) == ("refine" if relevant(found) else given_up)


MORE = {"parts": [{"pool": [{"chunk_id": "further"}]}]}


@pytest.mark.parametrize(
    ("changed", "decision", "step"),
    [
        ({}, "generate", "refine"),
        (MORE, "transform_query", "transform_query"),
        ({**MORE, "loop_count": 1}, "generate", "refine"),
        ({**MORE, "no_query": "none"}, "generate", "refine"),
        ({**MORE, "max_loops": 0}, "generate", "refine"),
        ({"web": "allowed"}, "generate", "search_web"),
        ({"gaps": ["q"], "loop_count": 1}, "generate", "refine"),
        ({"gaps": ["q"], "new_documents": []}, "abstain", "abstain"),
        ({"gaps": ["q"], "new_documents": [], "web": "allowed"}, "abstain", "search_web"),
        ({"gaps": ["q"], "no_query": "none"}, "abstain", "abstain"),
        ({"gaps": ["q"], "no_query": "none", "web": "searched"}, "generate", "refine"),
        ({"gaps": ["q"], "new_documents": [], "generation": "Half."}, "generate", "record_turn"),
        ({"gaps": ["q"], "no_query": "none", "generation": "Half."}, "generate", "record_turn"),
    ],
)
def test_a_model_is_asked_unless_its_passages_are_weak_and_again_where_something_is_new(
    changed, decision, step
):
    state: GraphState = {**at(model_decides=True), **changed}
    assert (decide(state)[0], after_grading(state)) == (decision, step)


def test_routers_follow_the_decision():
    assert after_grading(at(True, 1)) == "refine"
    assert after_grading(at()) == "transform_query"
    assert after_grading(at(web="searched")) == "abstain"
    draft = [{"before": "", "text": "Paris", "quotes": [], "located": []}]
    assert after_checking({**at(), "status": None, "draft": draft}) == "generate"
    assert after_checking({**at(), "status": None, "draft": []}) == "transform_query"
