"""The milestone window and the overwritten scratchpad."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.reducers import milestone_window, overwrite

ENTRIES = st.lists(
    st.builds(
        lambda turn, text, tag: {"question": text, "turn": turn} | tag,
        st.integers(0, 99),
        st.text(max_size=5),
        st.sampled_from([{}, {"milestone": True}, {"milestone": False}]),
    ),
    max_size=40,
)
SIZES = st.integers(0, 12)


@given(SIZES, ENTRIES, ENTRIES)
def test_window_keeps_the_last_entries_and_every_milestone_in_order(size, old, new):
    everything = old + new
    kept = milestone_window(size)(old, new)
    expected = [
        entry
        for index, entry in enumerate(everything)
        if entry.get("milestone") or index >= len(everything) - size
    ]
    assert kept == expected


@given(SIZES, ENTRIES, ENTRIES)
def test_window_mutates_nothing(size, old, new):
    before = copy.deepcopy((old, new))
    kept = milestone_window(size)(old, new)
    kept.append({"question": "", "turn": 0})
    assert (old, new) == before


@given(SIZES, st.lists(ENTRIES, max_size=6))
def test_window_is_bounded_by_its_size_and_the_milestones(size, updates):
    kept: list = []
    for update in updates:
        kept = milestone_window(size)(kept, update)
    milestones = sum(bool(entry.get("milestone")) for update in updates for entry in update)
    assert len(kept) <= size + milestones
    assert sum(bool(entry.get("milestone")) for entry in kept) == milestones


@given(SIZES, ENTRIES)
def test_adding_nothing_twice_is_adding_nothing_once(size, entries):
    reduce = milestone_window(size)
    once = reduce([], entries)
    assert reduce(once, []) == once


def test_nothing_yet_is_an_empty_timeline():
    assert milestone_window(3)(None, None) == []  # type: ignore[arg-type]


def test_negative_window_is_refused():
    with pytest.raises(ValueError):
        milestone_window(-1)


@given(st.lists(st.lists(st.text())))
def test_scratchpad_holds_the_last_write_only(writes):
    held: list[str] = []
    for write in writes:
        held = overwrite(held, write)
    assert held == (writes[-1] if writes else [])
