"""Whole research runs with a model over real HTTP: what it is sent, and how a run ends."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from openai_samples import settings_for
from research_library import lasting, library, places
from research_model import asked_for, decide, of, researcher, subtask
from scripted_server import Reply, ScriptedServer, call, status, text

from rag.research.model_researcher import PLANNER
from rag.research.roles import ResearchOptions
from rag.research.run import Research
from state.errors import BudgetError, ModelError

STONE = subtask("searcher", "How long is the Stone Bridge?", name="stone")
IRON = subtask("searcher", "How long is the Iron Bridge?", name="iron")
ANNA = subtask("searcher", "In which town was Anna Berg born?", name="anna")
LENA = subtask("searcher", "In which town was Lena Holt born?", name="lena")
WRITER = subtask("writer", "Which bridge is longer?", "*", name="answer")
QUESTION = "Which of the two bridges is longer, and who made it?"
PLAN = [STONE, IRON, WRITER]
END = decide("end")
REPLAN = decide("replan", leads=["Who opened it?"])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(tmp_path_factory.mktemp("model")).settings.home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A home with an index, in which nothing was asked or graded yet."""
    return shutil.copytree(made, tmp_path / "home")


def research(server: ScriptedServer, home: Path, rounds: int = 5, **changed) -> Research:
    settings = settings_for(server, home=home, grader="model", engine="openai", **changed)
    return Research(settings, ResearchOptions(max_rounds=rounds))


def served(*replies: Reply, always: Reply | None = None) -> ScriptedServer:
    return ScriptedServer(*replies, always=always)


def found(report: dict[str, Any]) -> dict[str, Any]:
    """A report without what it cost: calls of a subtask that failed were made in vain."""
    return {k: v for k, v in lasting(report).items() if k not in ("usage", "report")}


def shingles(words: str, size: int = 24) -> set[str]:
    return {words[i : i + size] for i in range(len(words) - size + 1)}


def test_a_planned_run_answers_with_shared_citations(home: Path):
    with served(always=researcher([PLAN], [END])) as server, research(server, home) as run:
        report = run.start(QUESTION)
    assert (report["status"], report["rounds"], report["subtasks"]) == ("answered", 1, 3)
    assert "140 metres" in report["answer"]
    assert "95 metres" in report["answer"]
    assert len(places(report)) == len(set(places(report)))
    assert report["usage"]["llm_calls"] == len(server.requests)
    assert [len(of(server.requests, t)) for t in ("Plan", "Reflection", "SubagentReply")] == [1] * 3


def test_no_byte_of_the_planners_prompt_reaches_a_subagent(home: Path):
    model = researcher([[STONE, IRON], [ANNA, WRITER]], [REPLAN, END])
    with served(always=model) as server, research(server, home) as run:
        run.start(QUESTION)
    subagents = of(server.requests, "SubagentReply", "grade_documents", "answer")
    assert len(subagents) == 7
    planned = of(server.requests, "Plan")
    assert len(planned) == 2
    systems = {request.body["messages"][0]["content"] for request in planned}
    assert all(system.startswith(PLANNER) for system in systems)
    secret = {piece for system in systems for piece in shingles(system)}
    assert not any(secret & shingles(request.prompt) for request in subagents)
    lines = {
        line
        for request in planned
        for line in request.prompt.splitlines()
        if len(line) > 12 and line not in PLANNER
    }
    assert not any(lines & set(request.prompt.splitlines()) for request in subagents)
    for request in subagents:
        assert [message["role"] for message in request.body["messages"]] == ["system", "user"]


def test_the_planner_and_the_reflection_see_summaries_and_never_text(home: Path):
    model = researcher([[STONE], [ANNA]], [REPLAN, END])
    with served(always=model) as server, research(server, home) as run:
        run.start(QUESTION)
    second = of(server.requests, "Plan")[1].prompt
    assert "searcher_001_how-long-is-the-stone-bridge.md: done, " in second
    for request in of(server.requests, "Plan", "Reflection"):
        assert "140 metres" not in request.prompt


def test_independent_subtasks_run_at_once(home: Path):
    meet = Barrier(4, timeout=60)

    def before(what: str) -> None:
        if what == "grade_documents":
            meet.wait()

    model = researcher([[STONE, IRON, ANNA, LENA]], [END], before)
    with served(always=model) as server, research(server, home) as run:
        report = run.start(QUESTION)
    assert report["subtasks"] == 4
    assert not meet.broken


def test_a_searcher_that_reads_first_asks_a_question_of_its_own(home: Path):
    reader = subtask("searcher", "Where was that engineer born?", "stone")
    model = researcher([[STONE, reader]], [END])
    with served(always=model) as server, research(server, home) as run:
        run.start(QUESTION)
    (asked,) = of(server.requests, "SubagentReply")
    assert "You turn a research instruction" in asked.prompt
    assert "140 metres" in asked.prompt


def test_rounds_are_five_at_most_and_then_the_person_is_asked(home: Path):
    model = researcher([PLAN], [REPLAN])
    with served(always=model) as server, research(server, home) as run:
        report = run.start(QUESTION)
        assert (report["status"], report["rounds"]) == ("waiting", 5)
        assert report["escalation"]
        assert "140 metres" in report["report"]
        assert len(of(server.requests, "Reflection")) == 5
        again = run.resume(report["run_id"], "Never mind.")
        assert len(of(server.requests, "Reflection")) == 10
        assert again["status"] == "waiting"
        assert "The person said: Never mind." in of(server.requests, "Plan")[-1].prompt


def test_an_end_is_refused_while_nothing_is_done(home: Path):
    nothing = subtask("searcher", "What is the melting point of tungsten?")
    model = researcher([[nothing], PLAN], [END])
    with served(always=model) as server, research(server, home) as run:
        report = run.start(QUESTION)
    assert (report["status"], report["rounds"]) == ("answered", 2)


def test_an_escalation_is_answered_and_the_run_goes_on(home: Path):
    model = researcher([[STONE], PLAN], [decide("escalate", question="Which bridge?"), END])
    with served(always=model) as server:
        with research(server, home) as run:
            report = run.start(QUESTION)
        assert (report["status"], report["escalation"]) == ("waiting", "Which bridge?")
        with research(server, home) as run:
            done = run.resume(report["run_id"], "Both of them.")
            assert done["status"] == "answered"
            assert run.resume(report["run_id"]) == done
    assert len(of(server.requests, "Plan")) == 2


@pytest.mark.parametrize("what", ["Plan", "Reflection", "SubagentReply"])
@pytest.mark.parametrize("broken", ['{"subtasks": 7', "", "[]"])
def test_rules_take_the_place_of_replies_that_cannot_be_read(home: Path, what: str, broken: str):
    good = researcher([PLAN], [END])

    def reply(body):
        return (call(broken) if asked_for(body) == what else good)(body)

    with served(always=reply) as server, research(server, home) as run:
        report = run.start("How long is the Stone Bridge?")
    assert report["status"] == "answered"
    assert report["citations"]
    assert any(f"no usable {what}" in line for line in report["warnings"])


@pytest.mark.parametrize("cut", ["Plan", "Reflection", "SubagentReply"])
def test_documents_that_a_server_cut_are_told_of(home: Path, cut: str):
    """Of some 1,000 tokens it counts what its context holds."""
    told = "The Stone Bridge is 140 metres long [1]. " * 120
    long = subtask("comparer", "How long is the Stone Bridge?", "stone", name="long")
    whole, small = (
        researcher([[STONE, long, WRITER]], [END], usage=usage) for usage in [(100, 10), (505, 5)]
    )

    def reply(body):
        if asked_for(body) == "SubagentReply" and "You compare." in str(body["messages"]):
            return call({"artifact_name": "a", "content": told, "status": "done"})(body)
        return (small if asked_for(body) == cut else whole)(body)

    beside = " It crosses the valley beside the old quarry." * 80
    question = QUESTION if cut == "SubagentReply" else QUESTION + beside
    with served(always=reply) as server, research(server, home) as run:
        report = run.start(question)
    assert [line for line in report["warnings"] if "it cut your documents" in line]
    assert all("read 505 of about" in line for line in report["warnings"])


def test_a_follow_up_that_the_model_did_not_rewrite_is_told_of(home: Path):
    model = researcher([PLAN], [END])
    with served(always=model) as server, research(server, home, thread="one") as run:
        run.start("How long is the Stone Bridge?")
    said = served(text("I cannot say."), always=model)
    with said as server, research(server, home, thread="one") as run:
        report = run.start("And who made it?")
    assert any("It was read as code reads it." in line for line in report["warnings"])


REFUSAL = "I cannot answer this question from the given context."


def test_a_plan_that_refuses_or_repeats_its_prompt_is_planned_by_rules(home: Path):
    echo = PLANNER.split(". ")[2]
    bad = [subtask("searcher", REFUSAL), subtask("searcher", f"{echo}.")]
    with (
        served(always=researcher([bad], [decide("continue")])) as server,
        research(server, home) as run,
    ):
        report = run.start("How long is the Stone Bridge?")
    assert report["status"] == "answered"
    assert "140 metres" in report["answer"]
    assert any("Rules planned" in line for line in report["warnings"])
    subagents = of(server.requests, "SubagentReply", "grade_documents", "answer")
    assert not any(echo in request.prompt or REFUSAL in request.prompt for request in subagents)


def test_a_plan_in_other_words_is_followed_beside_the_question(home: Path):
    foreign = [subtask("searcher", "Welche Strecke ist am schnellsten?")]
    with served(always=researcher([foreign], [END])) as server, research(server, home) as run:
        report = run.start("How long is the Stone Bridge?")
    assert "140 metres" in report["answer"]
    assert "Welche Strecke ist am schnellsten?" in report["not_found"]


def test_a_contradiction_needs_two_sides(home: Path):
    skeptic = subtask("skeptic", "Do they disagree?", "*")
    with (
        served(always=researcher([[STONE, skeptic]], [END])) as server,
        research(server, home) as run,
    ):
        report = run.start("How long is the Stone Bridge?")
    assert report["contradictions"] == []


def test_a_server_that_goes_down_repeats_no_finished_subtask(made: Path, tmp_path: Path):
    home = shutil.copytree(made, tmp_path / "whole")
    with served(always=researcher([PLAN], [END])) as server, research(server, home) as run:
        whole = run.start(QUESTION)
    total = len(server.requests)
    good = researcher([PLAN], [END])
    for survived in range(1, total):
        home = shutil.copytree(made, tmp_path / f"home{survived}")
        replies = [good] * survived
        with served(*replies, always=status(500)) as server, research(server, home) as run:
            with pytest.raises(ModelError):
                run.start(QUESTION)
            name = run.run_id
        with served(always=researcher([PLAN], [END])) as server, research(server, home) as run:
            kept = {a["subtask"]: a for a in run._journal.artifacts(name)}
            events: list[Any] = []
            report = run.resume(name, emit=events.append)
            begun = {e["subtask"]["id"] for e in events if e["event"] == "subtask_started"}
        assert not kept.keys() & begun
        assert found(report) == found(whole)


def test_a_spent_budget_leaves_a_partial_report_that_can_go_on(home: Path):
    model = researcher([[STONE], [IRON], [WRITER]], [REPLAN, REPLAN, END], usage=(2000, 10))
    with served(always=model) as server:
        with research(server, home, max_tokens=12_000) as run:
            report = run.start(QUESTION)
        assert (report["status"], report["resumable"]) == ("partial", True)
        assert "140 metres" in report["report"]
        assert "budget" in report["warnings"][0]
        with research(server, home) as run:
            done = run.resume(report["run_id"])
    assert (done["status"], done["resumable"]) == ("answered", False)
    assert "95 metres" in done["answer"]
    assert len(places(done)) == len(set(places(done)))


def test_a_budget_spent_before_anything_was_found_is_an_error(home: Path):
    model = researcher([PLAN], [END], usage=(2000, 10))
    with served(always=model) as server, research(server, home, max_tokens=1500) as run:
        with pytest.raises(BudgetError):
            run.start(QUESTION)
        assert run.run_id is not None


def test_a_step_that_fails_tells_of_its_calls(home: Path):
    events: list[Any] = []
    with (
        served(always=status(500)) as server,
        research(server, home) as run,
        pytest.raises(ModelError),
    ):
        run.start(QUESTION, emit=events.append)
    calls = [(e["node"], e["failed"]) for e in events if e["event"] == "model_called"]
    assert calls == [("plan", True)]
