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


def turn(number: int, tokens: int, *, milestone: bool = False) -> tuple[int, int, bool]:
    return number, tokens, milestone


def numbers(shown):
    return [entry["turn"] for entry in shown]


def pick(turns, budget):
    costs = {number: tokens for number, tokens, _ in turns}
    pinned = [(number, milestone) for number, _, milestone in turns[::-1]]
    return history_slice(pinned, costs.__getitem__, budget)


SIZES = [turn(n, size) for n, size in enumerate([600, 1500, 900, 1100, 800], 1)]
PINNED = [turn(1, 50, milestone=True), turn(2, 60), turn(3, 60), turn(4, 40)]
LARGE_PINS = [turn(1, 20, milestone=True), turn(2, 900, milestone=True), turn(3, 9), turn(4, 9)]


@pytest.mark.parametrize(
    ("turns", "budget", "shown"),
    [
        pytest.param(SIZES, 4000, [3, 4, 5], id="the walk stops at the first that does not fit"),
        pytest.param(SIZES, 4900, [1, 2, 3, 4, 5], id="all fit"),
        pytest.param(SIZES, 4899, [2, 3, 4, 5], id="one token less"),
        pytest.param([turn(1, 1), turn(2, 5000), turn(3, 1)], 100, [3], id="stops at a large one"),
        pytest.param([turn(1, 10), turn(2, 9000)], 4000, [2], id="the newest always"),
        pytest.param([turn(1, 10), turn(2, 10)], 0, [2], id="the newest without a budget"),
        pytest.param([], 4000, [], id="none"),
        pytest.param(PINNED, 150, [1, 3, 4], id="milestones before recent turns"),
        pytest.param(PINNED, 149, [1, 4], id="then what is left"),
        pytest.param(PINNED, 89, [4], id="a milestone that does not fit"),
        pytest.param(LARGE_PINS, 100, [1, 3, 4], id="it leaves room for others"),
    ],
)
def test_the_newest_then_milestones_then_what_fits_from_the_newest_on(turns, budget, shown):
    assert pick(turns, budget) == shown


TURNS = st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=12)


@given(TURNS, st.integers(0, 300), st.integers(0, 300))
def test_raising_the_budget_brings_old_turns_back(shape, low, more):
    turns = [turn(n, size) for n, (size, _) in enumerate(shape, 1)]
    few, many = pick(turns, low), pick(turns, low + more)
    assert set(few) <= set(many)
    assert many == list(range(len(turns) - len(many) + 1, len(turns) + 1))


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
