from typing import Any

from rag.research.planning import artifact_name
from rag.research.rounds import INLINE_BYTES, cleanup, new_file_entry


def test_small_files_stay_inline_and_large_ones_point_to_the_journal():
    small = new_file_entry("a.md", "x" * INLINE_BYTES, 1, "done")
    large = new_file_entry("b.md", "é" * INLINE_BYTES, 1, "done")
    assert (small["pointer"], small["content"]) == (None, "x" * INLINE_BYTES)
    assert (large["content"], large["bytes"]) == (None, 2 * INLINE_BYTES)
    assert large["pointer"] == "home.db#b.md"


def test_names_never_collide():
    titles = ("The year?", "the year", "THE YEAR!", "", "年", "月")
    assert len({artifact_name("searcher", title) for title in titles}) == len(titles)


def test_eviction_takes_done_files_after_3_steps_and_any_after_20():
    done = {f"done-{n}": new_file_entry("a.md", "", 10 - n, "done") for n in (3, 4)}
    empty = {f"empty-{n}": new_file_entry("a.md", "", 10 - n, "empty") for n in (20, 21)}
    state: Any = {"files": {**done, **empty}, "plan": [{"status": "done"}] * 10}
    assert [*cleanup(state, Any)["files"]] == ["done-3", "empty-20"]
