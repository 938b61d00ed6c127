"""Whole runs, not nodes: the state at every boundary, where a run stops, who may work on it."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from ingest_runs import home_of
from research_library import ABSENT, TEXTS, TWO_HOPS, places
from research_scripted import ScriptedResearcher
from turn_samples import open_turn_store

from rag.research.journal import Journal
from rag.research.run import Research
from state.errors import StoreBusyError, UsageError
from state.settings import load_settings

FILES = TEXTS


def research(home: Path, **changed: Any) -> Research:
    thread = changed.pop("thread", None)
    settings = load_settings({"home": home, "engine": "local", "thread": thread})
    return Research(settings, **changed)


def scripted(home: Path, width: int = 1) -> Research:
    return research(home, researcher=ScriptedResearcher(width))


@pytest.fixture
def boundaries(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Pickled bytes of the state at each boundary that is kept."""
    sizes: list[int] = []
    change = Journal.change

    def watched(self: Journal, run_id: str, **changed: Any) -> None:
        sizes.extend(len(pickle.dumps(state)) for state in [changed.get("state")] if state)
        change(self, run_id, **changed)

    monkeypatch.setattr(Journal, "change", watched)
    return sizes


LONG = pytest.param(1, 150_000, marks=pytest.mark.slow)


@pytest.mark.parametrize(("width", "most"), [LONG, (5, 250_000)])
def test_the_state_stays_small_over_50_steps(home: Path, boundaries: list[int], width, most):
    with scripted(home, width) as run:
        report = run.start("What came of it?")
        while report["subtasks"] < 50:
            report = run.resume(report["run_id"], "Go on.")
    assert len(boundaries) >= 50 // width
    assert max(boundaries) < most
    assert len(report["report"]) > 1_000_000, "what left the state is still in the report"


def test_a_run_that_is_never_content_asks_after_five_rounds(home: Path):
    with scripted(home) as run:
        report = run.start("What came of it?")
        assert (report["status"], report["rounds"], report["subtasks"]) == ("waiting", 5, 5)
        again = run.resume(report["run_id"], "Go on.")
    assert (again["rounds"], again["subtasks"]) == (10, 10)


def test_an_answer_is_kept_before_anything_is_done_with_it(home: Path, monkeypatch):
    with research(home) as run:
        report = run.start(ABSENT)
        with monkeypatch.context() as patch:
            patch.setattr("rag.research.run.run_rounds", Mock(side_effect=KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                run.resume(report["run_id"], "How long is the Iron Bridge?")
    with research(home) as run:  # the process died right after the answer was given
        assert "95 metres" in run.resume(report["run_id"])["report"]


def test_a_finished_run_gives_its_report_again_and_leaves_nothing_behind(home: Path):
    with research(home) as run:
        report = run.start(TWO_HOPS)
        assert run.run_id is None
        assert run.resume("last") == report
        with pytest.raises(UsageError, match="did not ask"):
            run.resume(report["run_id"], "More.")
    assert len(places(report)) == len(set(places(report)))
    assert not (home / "research").exists()


def test_two_processes_never_work_on_one_run(home: Path):
    with scripted(home) as run, research(home) as other:

        def emit(event: dict[str, Any]) -> None:
            if event["event"] == "planned":
                with pytest.raises(StoreBusyError, match="Another process is working"):
                    other.resume("last")

        report = run.start("What came of it?", emit)
    assert report["rounds"] == 5


def test_a_thread_gives_the_question_its_context_and_gets_the_turn(home: Path):
    first = "Who designed the Stone Bridge?"
    with research(home, thread="t") as run:
        run.session.ask(first, thread="t")
        report = run.start("And the Iron Bridge?")
        again = run.resume(report["run_id"])
    assert again == report
    assert report["question"] == "And the Iron Bridge?"
    assert report["standalone_question"] != report["question"]
    with open_turn_store(home) as store:
        turns = list(store.turns("t"))
    assert [turn.answer["question"] for turn in turns] == [first, report["question"]]
    assert turns[1].answer["answer"] == report["report"]


def test_subtasks_share_one_session_safely(home: Path):
    """The same work by eight threads at once and by one gives the same answers."""
    questions = [TWO_HOPS, "How long is the Iron Bridge?", "When was the quarry closed?", ABSENT]
    with research(home) as run:
        alone = [run.session.ask(question)["answer"] for question in questions]
        with ThreadPoolExecutor(16) as threads:
            found = [answer["answer"] for answer in threads.map(run.session.ask, questions * 4)]
    assert found == alone * 4


def test_code_that_was_found_stays_code_in_the_report(tmp_path: Path):
    script = "# The frobnicator daemon.\nfrobnicate --daemon\necho frobnicated\n"
    home = home_of(tmp_path, {"frob.sh": script})
    with research(home) as run:
        report = run.start("How is the frobnicator daemon started?")["report"]
    code = "".join(f"    {line}\n" for line in script.splitlines())
    assert f"\n{code}[1]\n" in report
