"""Everything is stored, a slice of whole turns within a token budget is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turn_samples import make_answer, open_turn_store

from rag.memory import ThreadMemory, history_slice
from state.settings import Settings


def words(text: str) -> int:
    """A token counter that, as o200k_base, finds at most a token a byte."""
    return len(text.split())


def numbers(shown):
    return [entry["turn"] for entry in shown]


def pick(tokens, milestones, budget):
    """The numbers of the turns that are shown, of turns of so many tokens."""
    costs = dict(enumerate(tokens, 1))
    newest_first = [(number, number in milestones) for number in reversed(costs)]
    return history_slice(newest_first, costs.__getitem__, budget)


SIZES = [600, 1500, 900, 1100, 800]
PINNED = [50, 60, 60, 40]


@pytest.mark.parametrize(
    ("tokens", "milestones", "budget", "shown"),
    [
        pytest.param(SIZES, [], 4000, [3, 4, 5], id="it stops at the first that does not fit"),
        pytest.param(SIZES, [], 4900, [1, 2, 3, 4, 5], id="all fit"),
        pytest.param(SIZES, [], 4899, [2, 3, 4, 5], id="one token less"),
        pytest.param([1, 5000, 1], [], 100, [3], id="stops at a large one"),
        pytest.param([10, 9000], [], 4000, [2], id="the newest always"),
        pytest.param([10, 10], [], 0, [2], id="the newest without a budget"),
        pytest.param([], [], 4000, [], id="none"),
        pytest.param(PINNED, [1], 150, [1, 3, 4], id="milestones before recent turns"),
        pytest.param(PINNED, [1], 149, [1, 4], id="then what is left"),
        pytest.param(PINNED, [1], 89, [4], id="a milestone that does not fit"),
        pytest.param([20, 900, 9, 9], [1, 2], 100, [1, 3, 4], id="it leaves room for others"),
    ],
)
def test_the_newest_then_milestones_then_what_fits_from_the_newest_on(
    tokens, milestones, budget, shown
):
    assert pick(tokens, milestones, budget) == shown


@given(st.lists(st.integers(0, 60), max_size=12), st.integers(0, 300), st.integers(0, 300))
def test_raising_the_budget_brings_old_turns_back(tokens, low, more):
    few, many = pick(tokens, [], low), pick(tokens, [], low + more)
    assert set(few) <= set(many)
    assert many == list(range(len(tokens) - len(many) + 1, len(tokens) + 1))


def shown_of(home, budget):
    with ThreadMemory(Settings(home=home, history_tokens=budget)) as memory:
        return memory.history("t")


def test_slice_of_a_stored_thread_leaves_the_store_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.memory.count_tokens", words)
    with open_turn_store(tmp_path) as store:
        for number in range(1, 31):
            answer = make_answer(f"question {number}", "word " * 50)
            store.append("t", answer, milestone=number == 2)
        before = list(store.turns("t"))
        shown = shown_of(tmp_path, 200)
        assert numbers(shown) == [2, 29, 30]
        assert shown[-1]["question"] == "question 30"
        assert shown[0]["milestone"]
        assert numbers(shown_of(tmp_path, 10_000)) == list(range(1, 31))
        assert list(store.turns("t")) == before
