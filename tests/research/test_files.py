from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from rag.research.virtual_files import (
    INLINE_BYTES,
    INLINE_TOTAL,
    artifact_name,
    evict,
    shrink,
    written,
)
from state.research_state import FileEntry, merge_files


def entry(step: int, status: str = "done", size: int = 10) -> FileEntry:
    return {
        "content": "x" * size,
        "pointer": None,
        "bytes": size,
        "written_at_step": step,
        "status": status,  # type: ignore[typeddict-item]
    }


def test_small_files_stay_inline_and_large_ones_point_to_the_journal():
    small = written("a.md", "x" * INLINE_BYTES, 1, "done")
    large = written("b.md", "é" * INLINE_BYTES, 1, "done")
    assert (small["pointer"], small["content"]) == (None, "x" * INLINE_BYTES)
    assert (large["content"], large["bytes"]) == (None, 2 * INLINE_BYTES)
    assert large["pointer"] == "home.db#b.md"


def test_names_never_collide():
    taken: dict[str, FileEntry] = {}
    titles = ["The year?", "the year", "THE YEAR!", "", "年", "月"]
    for title in titles:
        name = artifact_name("searcher", 1, title, taken)
        assert name not in taken
        taken[name] = entry(1)


def test_eviction_takes_done_files_after_3_steps_and_any_after_20():
    files = {
        "done-3": entry(7),
        "done-4": entry(6),
        "active-20": entry(-10, "active"),
        "active-21": entry(-11, "active"),
    }
    assert set(evict(files, 10)) == {"done-4", "active-21"}


@given(st.lists(st.integers(0, 90_000), min_size=1, max_size=12))
def test_what_is_inline_is_bounded_and_the_rest_is_pointed_to(sizes: list[int]):
    files = {f"f{n}": entry(n, "active", size) for n, size in enumerate(sizes)}
    shrunk = merge_files(files, shrink(files))
    inline = sum(len(e["content"] or "") for e in shrunk.values())
    assert inline <= INLINE_TOTAL
    for (name, held), size in zip(shrunk.items(), sizes, strict=True):
        assert held["bytes"] == size
        assert held["pointer"] == (None if held["content"] is not None else f"home.db#{name}")
    assert len(pickle.dumps(shrunk)) < 500_000


def test_merging_writes_replaces_and_evicts_without_touching_its_arguments():
    old = {"a": entry(1), "b": entry(1)}
    merged = merge_files(old, {"a": None, "c": entry(2)})
    assert set(merged) == {"b", "c"}
    assert set(old) == {"a", "b"}
