"""The milestone window; that the scratchpad is overwritten: tests/threads/test_checkpoints.py."""

import copy

from hypothesis import given
from hypothesis import strategies as st

from state.graph_state import milestone_window

ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"question": st.text(max_size=5), "turn": st.integers(0, 99)},
        optional={"milestone": st.booleans()},
    ),
    max_size=10,
)
SIZES = st.integers(0, 12)


@given(SIZES, st.lists(ENTRIES, max_size=4))
def test_the_newest_and_every_milestone_are_kept_in_order_and_nothing_is_changed(size, updates):
    before = copy.deepcopy(updates)
    kept: list = []
    for update in updates:
        kept = milestone_window(kept, update, size=size)
    every = [entry for update in updates for entry in update]
    milestones = [entry for entry in every if entry.get("milestone")]
    newest = min(size, len(every))
    assert kept[len(kept) - newest :] == every[len(every) - newest :]
    assert [entry for entry in kept if entry.get("milestone")] == milestones
    assert len(kept) <= size + len(milestones)
    assert updates == before
    assert milestone_window(kept, [], size=size) == kept
    assert milestone_window(None, None) == [], "nothing yet"  # type: ignore[arg-type]
