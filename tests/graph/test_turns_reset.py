"""Whatever becomes of a question, the next one starts as if it were the first."""

import threading
from dataclasses import dataclass, field
from typing import Any

import pytest
import turn_child
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rag.graph
import rag.turn_run
from rag.session import open_session
from state.graph_state import new_question
from state.settings import load_settings

MAX_LOOPS = 2
QUESTIONS = dict(zip(("answered", "follow-up", "abstained"), turn_child.QUESTIONS, strict=True))
NODES = sorted(rag.graph.NODES)


@dataclass
class Watch:
    """Wraps the real nodes: breaks the one it is told to, notes every question's beginning."""

    breaks: str | None = None
    fault: BaseException | None = None
    begun: list[dict[str, Any]] = field(default_factory=list)

    def wrap(self, name, node):
        def run(state, runtime):
            if name == "contextualize":
                self.begun.append(dict(state))
            if name == self.breaks and self.fault is not None:
                raise self.fault
            return node(state, runtime)

        return run


TURNS = st.lists(
    st.tuples(
        st.sampled_from(sorted(QUESTIONS)),
        st.one_of(
            st.none(),
            st.tuples(st.sampled_from(["raised", "interrupted"]), st.sampled_from(NODES)),
            st.tuples(st.just("closed"), st.integers(1, 25)),
        ),
    ),
    min_size=1,
    max_size=5,
)
FAULTS = {"raised": ZeroDivisionError, "interrupted": KeyboardInterrupt}
"""The first is one that nobody expects."""


def ask(session, watch, thread, kind, ending):
    """One turn; the finished answer, or None where it ended early."""
    watch.breaks, watch.fault = None, None
    how, where = ending or (None, None)
    if how in FAULTS:
        watch.breaks, watch.fault = where, FAULTS[how]()
    answer = None
    turn = session.stream(QUESTIONS[kind], thread=thread)
    try:
        for number, event in enumerate(turn, 1):
            if event["event"] == "answer":
                answer = event["answer"]
            if how == "closed" and number == where:
                break
    except FAULTS.get(how, ()):
        assert answer is None, "no answer after an error"
    finally:
        turn.close()
        for run in threading.enumerate():
            if run.name == "turn":  # a run that was left comes to its own end
                run.join(30)
    return answer


def check_turns(home, turns, thread):
    watch = Watch()
    nodes = {name: watch.wrap(name, node) for name, node in rag.graph.NODES.items()}
    given_settings = load_settings({"home": home, "engine": "local", "max_loops": MAX_LOOPS})
    with pytest.MonkeyPatch.context() as patch, open_session(given_settings) as session:
        patch.setattr(rag.graph, "NODES", nodes)
        watched = rag.graph.compile_graph()
        patch.setattr(rag.turn_run, "shared_graph", lambda: watched)
        store = session.memory.store
        finished = []
        traces = set()
        for kind, ending in turns:
            watch.begun.clear()
            answer = ask(session, watch, thread, kind, ending)
            for state in watch.begun:
                fresh = new_question(QUESTIONS[kind], MAX_LOOPS)
                assert not any(state["usage"].values()), "nothing is spent yet"
                for name in ("complete", "timing_metrics", "usage"):
                    state.pop(name, None)
                    fresh.pop(name, None)
                seen = {name: state[name] for name in fresh}
                assert seen == fresh, "a whole fresh question, nothing of the last"
                told = [turn["question"] for turn in state["timeline"]]
                assert told == [question for question, _ in finished]
            kept = [turn.answer for turn in store.turns(thread)]
            if answer is None and len(kept) > len(finished):  # closed after it was kept
                answer = kept[-1]
            if answer is not None:
                finished.append((answer["question"], answer["answer"]))
                assert answer["loop_count"] <= MAX_LOOPS
                assert answer["trace_id"] not in traces
                traces.add(answer["trace_id"])
            assert [(a["question"], a["answer"]) for a in kept] == finished
            assert [a["turn"] for a in kept] == list(range(1, len(finished) + 1))
        last = ask(session, watch, thread, "answered", None)
        assert last["status"] == "answered"
        assert last["turn"] == len(finished) + 1


@pytest.mark.parametrize("examples", [8, pytest.param(150, marks=pytest.mark.slow)])
def test_next_question_starts_anew_after_random_turns(home, examples):
    number = iter(range(10**6))

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(TURNS)
    def check(turns):
        check_turns(home, turns, f"random-{examples}-{next(number)}")

    check()


@pytest.mark.parametrize("node", NODES)
def test_error_in_any_node_leaves_the_thread_as_it_was(home, node):
    check_turns(home, [("answered", None), ("follow-up", ("raised", node))], f"node-{node}")
