from __future__ import annotations

from typing import Any, cast

import pytest

from rag.research.planning import LONGEST_INSTRUCTION, checked_plan, short_heading
from rag.research.research_graph import decided
from rag.research.researcher import DraftSubtask, Reflected, ResearchDependencies, View
from rag.research.roles import ROLES
from state.research_state import new_research


def draft(instruction: str, role: str = "searcher", reads: tuple[str, ...] = ()) -> DraftSubtask:
    return {
        "role": role,
        "instruction": instruction,
        "expected_artifact": instruction,
        "read_files": list(reads),
    }


def plan(*drafts: DraftSubtask, known: list[Any] | None = None) -> list[Any]:
    return checked_plan(drafts, known or [])


def test_unknown_roles_empty_instructions_and_repeats_are_dropped():
    made = plan(draft("a"), draft("b", role="hacker"), draft("  "), draft("A "), draft("c"))
    assert [task["instruction"] for task in made] == ["a", "c"]
    assert plan(draft("a"), known=made) == []


def test_a_plan_is_bounded():
    assert len(plan(*(draft(f"q{n}") for n in range(50)))) == 8
    (long,) = plan(draft("x" * 10_000))
    assert len(long["instruction"]) == LONGEST_INSTRUCTION


def test_a_subtask_reads_only_files_that_are_there_or_are_to_come():
    first, second = plan(
        draft("find"),
        draft("compare", "analyst", ("find", "/etc/passwd", "later")),
        draft("later"),
    )[:2]
    assert second["read_files"] == [first["expected_artifact"]]


def test_equal_work_has_equal_ids_and_other_queries_are_other_work():
    (first,) = plan(draft("When?  "))
    assert plan(draft("when?"), known=[first]) == []
    assert len(plan({**draft("When?"), "queries": ["in which year"]}, known=[first])) == 1


def test_a_searcher_reads_artifacts_and_documents_by_name():
    (made,) = checked_plan([draft("find", reads=("guide.md", "old.md"))], files=["old.md"])
    assert (made["documents"], made["read_files"]) == (["guide.md"], ["old.md"])


def test_the_writer_is_not_planned_and_others_read_everything_unless_told():
    made = plan(draft("find"), draft("answer", "writer"), draft("compare", "analyst"))
    assert [(task["role"], task["read_files"]) for task in made] == [
        ("searcher", []),
        ("analyst", ["*"]),
    ]


def test_queries_are_four_at_most_and_the_instruction_where_there_are_none():
    (many,) = plan({**draft("find"), "queries": ["a", " a ", "b", "", "c", "d", "e"]})
    assert many["queries"] == ["a", "b", "c", "d"]
    assert plan(draft("find it"))[0]["queries"] == ["find it"]


def test_a_heading_has_eight_words_at_most():
    assert short_heading("Losing the password.", "q") == "Losing the password"
    assert short_heading("", "What can never be recovered?") == "What can never be recovered"
    assert len(short_heading("a " * 50, "q").split()) == 8


def test_the_pool_has_3_to_8_roles_each_with_its_own_prompt():
    assert 3 <= len(ROLES) <= 8
    assert len({role.system for role in ROLES.values()}) == len(ROLES)
    assert not any("planner" in role.system.casefold() for role in ROLES.values())


def artifact(status: str = "done") -> Any:
    return {"status": status, "missing": [], "findings": []}


class Says:
    """A researcher that always reflects the same."""

    def __init__(self, reflected: Reflected) -> None:
        self._reflected = reflected

    def reflect(self, _view: object) -> Reflected:
        return self._reflected


def reflected(says: Reflected, artifacts: list[Any], rounds: int = 0) -> Reflected:
    nothing = cast("Any", None)
    deps = ResearchDependencies(cast("Any", Says(says)), nothing, nothing, print, print)
    view = View(new_research("q", "r"), artifacts, last=rounds == 4)
    return decided(view, deps)


def test_an_end_is_refused_while_nothing_is_done():
    assert reflected(Reflected("end", ""), [artifact("empty")]).decision == "replan"
    assert reflected(Reflected("end", ""), [artifact()]).decision == "end"


@pytest.mark.parametrize("decision", ["continue", "replan"])
def test_the_last_round_escalates_with_a_question_never_silently(decision: Any):
    last = reflected(Reflected(decision, ""), [artifact()], rounds=4)
    assert last.decision == "escalate"
    assert last.question


def test_an_end_without_anything_done_at_the_cap_escalates():
    last = reflected(Reflected("end", ""), [], rounds=4)
    assert (last.decision, bool(last.question)) == ("escalate", True)


def test_an_escalation_always_asks_something():
    assert reflected(Reflected("escalate", "why", question=None), []).question
