import pickle

from rag.research.planning import MOST_SUBTASKS
from rag.research.virtual_files import (
    DONE_STEPS,
    INLINE_BYTES,
    artifact_name,
    expired,
    new_file_entry,
)
from state.research_state import FileEntry


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
    assert expired({**done, **empty}, 10) == ["done-4", "empty-21"]


def test_what_a_planner_s_largest_round_leaves_is_small():
    files: dict[str, FileEntry] = {}
    for step in range(1, 25):
        if step % MOST_SUBTASKS == 1:
            gone = expired(files, step - 1)
            files = {name: entry for name, entry in files.items() if name not in gone}
        name = artifact_name("searcher", f"Title {step}")
        files[name] = new_file_entry(name, "x" * INLINE_BYTES, step, "done")
        assert len(pickle.dumps(files)) < 400_000
    assert len(files) == DONE_STEPS + 1 + MOST_SUBTASKS
