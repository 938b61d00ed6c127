"""kill -9 at random instants of a run, and again while it is resumed."""

import random
import time
from pathlib import Path
from typing import Any

import pytest
from forked import started
from research_child import SCRIPTED, events_of, run
from research_library import THREE_PARTS, lasting, library, places

from rag.research.journal import Journal
from state.errors import UsageError

LONGEST = 60
Whole = dict[str, tuple[dict[str, Any], float]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Of each question the report of a run that nothing disturbed, and the seconds it took."""
    found = {}
    for question in (THREE_PARTS, SCRIPTED):
        home = library(tmp_path_factory.mktemp("whole"))
        log = home / "log"
        process, _ = started(run, home, question, log)
        began = time.monotonic()
        process.join(LONGEST)
        assert process.exitcode == 0
        found[question] = events_of(log)[-1]["report"], time.monotonic() - began
    return found


def kept(home: Path) -> dict[str, Any]:
    with Journal(home) as journal:
        try:
            last = journal.run("last")["id"]
        except UsageError:  # killed before the run was there
            return {}
        return {each["expected_artifact"]: each for each in journal.artifacts(last)}


def test_a_whole_run_answers_all_parts_and_goes_through_its_rounds(whole: Whole):
    report, _ = whole[THREE_PARTS]
    assert report["status"] == "answered"
    cited = {citation["source"] for citation in report["citations"]}
    assert cited == {"quarry.md", "lena-holt.md", "iron-bridge.md"}
    assert whole[SCRIPTED][0]["rounds"] == 4


LONG = [pytest.param(25, seed, marks=pytest.mark.slow) for seed in range(2)]


@pytest.mark.parametrize("question", [THREE_PARTS, SCRIPTED])
@pytest.mark.parametrize(("kills", "seed"), [(5, 7), *LONG])
def test_a_killed_run_goes_on(whole: Whole, tmp_path: Path, question: str, kills: int, seed: int):
    expected, seconds = whole[question]
    chance = random.Random(seed)
    repeated = duplicated = killed = homes = 0
    while killed < kills:
        homes += 1
        home = library(tmp_path / f"{homes}")
        finished: dict[str, Any] = {}
        attempt = 0
        while True:
            attempt += 1
            log = home / f"log{attempt}"
            process, _ = started(run, home, question, log)
            if killed < kills and attempt < 6:
                process.join(chance.uniform(0, seconds))
                killed += process.exitcode is None
                process.kill()
            process.join(LONGEST)
            events = events_of(log)
            tasks = [e["subtask"] for e in events if e["event"] == "subtask_started"]
            begun = {task["expected_artifact"] for task in tasks}
            repeated += len(begun & finished.keys())
            after = kept(home)
            assert {name: after[name] for name in finished} == finished
            finished = after
            if process.exitcode == 0:
                break
        report = events[-1]["report"]
        duplicated += len(places(report)) - len(set(places(report)))
        assert lasting(report) == lasting(expected)
    assert (repeated, duplicated) == (0, 0)
