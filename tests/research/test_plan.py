from __future__ import annotations

from typing import Any, cast

import pytest

from rag.research.local_researcher import LocalResearcher
from rag.research.planning import LONGEST_INSTRUCTION, checked_plan, subtask_id
from rag.research.reflection import reflect
from rag.research.research_dependencies import ResearchDependencies
from rag.research.researcher import DraftSubtask, Reflected
from rag.research.roles import MAX_ROLES, MIN_ROLES, ROLES, ResearchOptions
from state.errors import UsageError
from state.research_state import Artifact, ResearchState, new_research
from state.usage import NO_USAGE


def draft(instruction: str, role: str = "searcher", reads: tuple[str, ...] = ()) -> DraftSubtask:
    return {
        "role": role,
        "instruction": instruction,
        "expected_artifact": instruction,
        "read_files": list(reads),
    }


def plan(*drafts: DraftSubtask, known: list[Any] | None = None) -> list[Any]:
    return checked_plan(drafts, roles=ROLES, files={}, known=known or [], step=0)


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
        draft("find"), draft("write", "writer", ("find", "/etc/passwd", "later")), draft("later")
    )[:2]
    assert second["read_files"] == [first["expected_artifact"]]


def test_equal_work_has_equal_ids():
    assert subtask_id("searcher", "When?  ", []) == subtask_id("searcher", "when?", [])
    assert subtask_id("searcher", "When?", []) != subtask_id("writer", "When?", [])


def test_the_pool_has_3_to_8_roles_each_with_its_own_prompt():
    assert MIN_ROLES <= len(ROLES) <= MAX_ROLES
    assert len({role.system for role in ROLES.values()}) == len(ROLES)
    assert not any("planner" in role.system.casefold() for role in ROLES.values())


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        (("searcher", "writer"), "3 to 8"),
        (("searcher", "writer", "clown"), "no role 'clown'"),
        (("comparer", "writer", "skeptic"), "searcher"),
    ],
)
def test_a_pool_that_cannot_work_is_refused(roles: tuple[str, ...], words: str):
    with pytest.raises(UsageError, match=words):
        ResearchOptions(roles).pool()


def artifact(status: str = "done") -> Artifact:
    return {
        "name": "a.md",
        "subtask": "1",
        "role": "searcher",
        "instruction": "q",
        "content": "text",
        "status": status,  # type: ignore[typeddict-item]
        "citations": [],
        "missing": [],
        "warnings": [],
        "usage": NO_USAGE,
    }


class Says:
    """A researcher that always reflects the same."""

    def __init__(self, reflected: Reflected) -> None:
        self._reflected = reflected

    def reflect(self, _view: object) -> Reflected:
        return self._reflected


def reflected(says: Reflected, artifacts: list[Artifact], rounds: int = 0) -> Reflected:
    state: ResearchState = {**new_research("q", "r"), "rounds": rounds}
    deps = ResearchDependencies(
        researcher=cast("Any", Says(says)),
        rules=LocalResearcher(cast("Any", None)),
        corrective=cast("Any", None),
        reader=cast("Any", None),
        journal=cast("Any", None),
        budget=cast("Any", None),
        roles=ROLES,
        emit=print,
        warn=print,
    )
    return reflect(state, artifacts, deps)


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
