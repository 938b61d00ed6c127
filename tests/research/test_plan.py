from types import SimpleNamespace
from typing import Any, cast

import pytest

from rag.research.local_researcher import asked_parts
from rag.research.planning import LONGEST_INSTRUCTION, artifact_name, checked_plan, short_heading
from rag.research.research_prompts import ROLES
from rag.research.researcher import (
    DraftSubtask,
    Reflected,
    read_files_of,
)
from rag.research.rounds import decided
from rag.research.run_view import RunView
from state.graph_state import fresh
from state.research_state import Artifact, new_research

WHEN = ["When exactly was it made?", "who cast it?", "is it open?"]
OPEN, PAYS = "is it open?", "who pays for it?"
FOUND, DONE = (artifact_name("searcher", asked) for asked in ("find", "done"))


def draft(instruction: str, role: str = "searcher", reads=(), **more: Any) -> DraftSubtask:
    named = {"expected_artifact": instruction, "read_files": list(reads)}
    return DraftSubtask(role=role, instruction=instruction, **named, **more)


def test_writers_unknown_roles_empty_instructions_and_repeats_are_dropped():
    left_out = [draft("b", "hacker"), draft("answer", "writer"), draft("  "), draft("A ")]
    made = checked_plan([draft("a"), *left_out, draft("c")])
    assert [task["instruction"] for task in made] == ["a", "c"]


def test_a_plan_is_bounded():
    assert len(checked_plan([draft(f"q{n}") for n in range(50)])) == 8
    (long,) = checked_plan([draft("x" * 10_000, queries=["a", " a ", "b", "", "c", "d", "e"])])
    assert len(long["instruction"]) == LONGEST_INSTRUCTION
    assert long["queries"] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("role", "wanted", "read"),
    [
        ("analyst", ("find", "/etc/passwd", "later"), [FOUND]),
        ("analyst", (), [DONE, FOUND]),
        ("searcher", (DONE, "guide.md"), [DONE, "guide.md"]),
        ("searcher", ("a", "find", "b", "c", "d"), [FOUND, "a", "b", "c"]),
        ("searcher", (), []),
    ],
)
def test_what_a_subtask_reads_is_there_or_a_document(role, wanted, read):
    drafts = [draft("find"), draft("compare", role, wanted), draft("later")]
    assert checked_plan(drafts, checked_plan([draft("done")]))[1]["read_files"] == read


def test_equal_work_has_equal_names_and_other_queries_are_other_work():
    (first,) = checked_plan([draft("When?  ")])
    assert checked_plan([draft("when?")], [first]) == []
    assert checked_plan([draft("When?", queries=["in which year"])], [first])


def test_a_heading_has_eight_words_at_most_and_not_what_a_question_refers_to():
    assert short_heading("", "how is it set up? (How is it backed up?)") == "How is it set up"
    assert short_heading("Losing the password.", "q") == "Losing the password"
    assert short_heading("", "What can never be recovered?") == "What can never be recovered"
    assert len(short_heading("a " * 50, "q").split()) == 8
    asked = "what must a person who lost the password of a repository do to read it again?"
    assert short_heading("", asked) == f"W{asked[1:-1]}"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How old is it, who built it, and is it open?", ["How old is it?", "who built it?", OPEN]),
        (
            "When it rains, is it open, and who pays for it?",
            ["When it rains, is it open?", "who pays for it?"],
        ),
        (
            "When it rains, who opens it, and is it dry?",
            ["When it rains, who opens it?", "is it dry?"],
        ),
        ("If I win, do I pay, and if I lose, do I?", ["If I win, do I pay?", "if I lose, do I?"]),
        (
            "Tell me who made it, when it was opened, and how it is kept.",
            ["Tell me who made it?", "when it was opened?", "how it is kept."],
        ),
        ("When exactly was it made, who cast it, and is it open?", WHEN),
        ("When is it open, and where do I pay?", ["When is it open?", "where do I pay?"]),
    ],
)
def test_a_list_of_questions_is_told_apart_and_a_condition_stays_with_its_question(question, parts):
    assert [part.partition(" (")[0] for part in asked_parts(question)] == parts


def test_the_pool_has_3_to_8_roles_each_with_its_own_prompt():
    assert 3 <= len(ROLES) <= 8
    assert len(set(ROLES.values())) == len(ROLES)
    assert not any("planner" in prompt.casefold() for prompt in ROLES.values())


@pytest.mark.parametrize(
    ("said", "found", "rounds", "decided_"),
    [
        ("end", "empty", 0, "replan"),
        ("end", "done", 0, "end"),
        ("end", "empty", 4, "escalate"),
        ("continue", "done", 0, "end"),
        ("continue", "done", 4, "escalate"),
        ("replan", "done", 4, "escalate"),
        ("escalate", "empty", 0, "escalate"),
    ],
)
def test_no_end_without_anything_done_and_the_last_round_asks(said, found, rounds, decided_):
    reflects = cast("Any", SimpleNamespace(reflect=lambda _view: Reflected(said, "")))
    artifacts = [fresh(Artifact, status=found)]
    made = decided(RunView({**new_research("q"), "rounds": rounds}, artifacts), reflects)
    assert (made.decision, bool(made.question)) == (decided_, decided_ == "escalate")


def found(text: str, instruction: str = "", missing=()) -> Any:
    told = {"role": "searcher", "heading": "Fees", "instruction": instruction, "missing": missing}
    place = {"marker": 1, "source": "a.md", "start_char": 0, "end_char": 9}
    findings = [{"text": text, "markers": [1]}]
    return {**told, "findings": findings, "citations": [place]}


@pytest.mark.parametrize(
    ("again", "kept"),
    [
        ("Each month members pay 5.", 0),
        ("Members pay 9 in a leap month.", 1),
        ("The boats are kept by it.", 1),
    ],
)
def test_what_is_said_again_from_the_same_place_is_left_out_unless_its_numbers_differ(again, kept):
    assert len(read_files_of([found("Members pay 5 a month."), found(again)]).files) == 1 + kept


def test_what_is_lacked_is_open_until_it_is_closed():
    asked, beside = "who may waive the fees", "whether fees are taxed abroad"
    first = found("5.", "What are the fees, and who may waive them?", [asked, beside])
    state = new_research("What are the fees of the club, and who may waive them?")
    assert RunView(state, [first]).open == {asked: "Fees", beside: "Fees"}
    assert RunView({**state, "closed": [beside]}, [first]).open == {asked: "Fees"}
