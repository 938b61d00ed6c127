"""What a research run costs beside its thinking: state, boundary writes, waiting.

    python tests/benchmarks/research.py

Prints the pickled state and the time of the boundary's write over a run of 50 steps that
writes 1 MB of artifacts, and the wall time of four independent subtasks beside one, with a
model that takes 300 ms a call. Nothing is read but what it makes itself.
"""

from __future__ import annotations

import pickle
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / "support")]

from openai_samples import settings_for  # noqa: E402
from research_library import library  # noqa: E402
from research_model import decide, researcher, subtask  # noqa: E402
from research_scripted import ARTIFACT_BYTES, ScriptedResearcher, long_answer  # noqa: E402
from scripted_server import ScriptedServer  # noqa: E402

import state.checkpoints  # noqa: E402
from rag.research.run import Research  # noqa: E402
from state.settings import load_settings  # noqa: E402

STEPS = 50
LATENCY = 0.3


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = library(Path(folder) / "library").settings.home
        _boundaries(shutil.copytree(made, Path(folder) / "long"))
        _waiting(made, Path(folder))


def _boundaries(home: Path) -> None:
    """A run of 50 rounds of one step; the person answers each time the rounds are spent."""
    with _timed_writes() as writes, _runs(home) as run:
        report = run.start("What came of it?")
        while len(writes) < STEPS:
            report = run.resume(report["run_id"], "Go on.")
    sizes = [size for _, size in writes]
    print(f"{len(writes)} boundaries, {len(writes) * ARTIFACT_BYTES / 1e6:.1f} MB of artifacts")
    print(f"pickled state: {max(sizes) / 1000:.0f} kB at most, {sizes[-1] / 1000:.0f} kB at last")
    early = median(ms for ms, _ in writes[2:8])
    late = median(ms for ms, _ in writes[-6:])
    print(f"boundary write: {early:.2f} ms at step 5, {late:.2f} ms at 50: x {late / early:.2f}")


@contextmanager
def _runs(home: Path) -> Iterator[Research]:
    settings = load_settings({"home": home, "engine": "local"})
    with Research(settings, researcher=ScriptedResearcher(), corrective=long_answer) as run:
        yield run


@contextmanager
def _timed_writes() -> Iterator[list[tuple[float, int]]]:
    """(milliseconds, pickled bytes of the state) of each boundary that is written."""
    writes: list[tuple[float, int]] = []
    keep = state.checkpoints.TurnSaver.keep

    def timed(self: Any) -> None:
        values = [made["channel_values"] for _, made, _, _ in self.puts]
        began = time.perf_counter()
        keep(self)
        if values:
            took = (time.perf_counter() - began) * 1000
            writes.append((took, len(pickle.dumps(values[-1]))))

    state.checkpoints.TurnSaver.keep = timed  # type: ignore[method-assign]
    try:
        yield writes
    finally:
        state.checkpoints.TurnSaver.keep = keep  # type: ignore[method-assign]


def _waiting(made: Path, folder: Path) -> None:
    names = ["Stone Bridge", "Iron Bridge", "paper mill", "quarry"]
    tasks = [subtask("searcher", f"What is known of the {name}?") for name in names]
    seconds: dict[int, float] = {}
    for count in (1, 1, 4):  # the first warms up
        home = shutil.copytree(made, folder / f"home{count}", dirs_exist_ok=True)
        slow = researcher([tasks[:count]], [decide("end")], lambda _: time.sleep(LATENCY))
        with ScriptedServer(always=slow) as server:
            settings = settings_for(server, home=home, grader="model", engine="openai")
            marks: dict[str, float] = {}
            with Research(settings) as run:
                run.start("What is there?", partial(_mark, marks))
        seconds[count] = marks["last"] - marks["planned"]
    print(
        f"four independent subtasks {seconds[4]:.2f} s, one {seconds[1]:.2f} s: "
        f"x {seconds[4] / seconds[1]:.2f}"
    )


def _mark(marks: dict[str, float], event: dict[str, Any]) -> None:
    marks.setdefault(event["event"], time.perf_counter())
    if event["event"] == "subtask_finished":
        marks["last"] = time.perf_counter()


if __name__ == "__main__":
    main()
