from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.research.comparisons import comparison
from rag.research.dependencies import ResearchDependencies
from rag.research.local_thinker import LocalThinker
from rag.research.options import ResearchOptions
from rag.research.plan_check import LONGEST_INSTRUCTION, checked_plan, subtask_id
from rag.research.protocol import DraftSubtask, Reflected
from rag.research.questions import (
    MOST_PARTS,
    Split,
    follow,
    followed_name,
    split,
    topic_of,
)
from rag.research.reflection import reflect
from rag.research.roles import MAX_ROLES, MIN_ROLES, ROLES
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
        "entities": [],
        "warnings": [],
        "usage": NO_USAGE,
    }


class Says:
    """A thinker that always reflects the same."""

    def __init__(self, reflected: Reflected) -> None:
        self._reflected = reflected

    def reflect(self, _view: object) -> Reflected:
        return self._reflected


def reflected(says: Reflected, artifacts: list[Artifact], rounds: int = 0) -> Reflected:
    state: ResearchState = {**new_research("q", "r"), "rounds": rounds}
    deps = ResearchDependencies(
        thinker=cast("Any", Says(says)),
        rules=LocalThinker(cast("Any", None)),
        corrective=cast("Any", None),
        reader=cast("Any", None),
        journal=cast("Any", None),
        folder=Path(),
        budget=cast("Any", None),
        roles=ROLES,
        tell=print,
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


def asked(question: str) -> list[str]:
    return [part.question for part in split(question).parts]


@pytest.mark.parametrize(
    "pieces",
    [
        ("How long is the Corbel Tunnel", "who is the archivist", "are dogs allowed"),
        ("Who built the bridge", "when did it close for good", "is the mill open"),
        ("What is the fare", "which days are busiest", "can I bring a pram"),
    ],
)
def test_questions_in_a_list_are_asked_each_for_itself(pieces):
    found = split(f"{pieces[0]}, {pieces[1]}, and {pieces[2]}?")
    assert found.independent == ("it" not in pieces[1].split())
    wanted = [f"{piece[0].upper()}{piece[1:]}?".replace(" it ", " the bridge ") for piece in pieces]
    assert [part.question for part in found.parts] == wanted


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("Who built the Gillfoot Viaduct and how long is it?", "How long is the Gillfoot Viaduct?"),
        ("Who runs the mill, and what is its address?", "What is the mill's address?"),
        ("Who paid for Stone Bridge and when was it built?", "When was Stone Bridge built?"),
    ],
)
def test_it_of_a_second_question_is_the_thing_of_the_first(question, second):
    found = split(question)
    assert [part.question for part in found.parts][1:] == [second]
    assert not found.independent


def test_nothing_is_asked_that_ends_in_a_bare_pronoun():
    question = "Who built the Gillfoot Viaduct and how long is it?"
    said = "Gillfoot Viaduct, between Cray Mill and Osmer: long and built of gritstone."
    assert follow(question, "Cray Mill and Osmer", said) is None


def test_what_goes_on_about_the_same_thing_is_no_question_of_its_own():
    for question in (
        "Which mill stands in Osmer, was built in 1874, and is owned by the trust?",
        "Which engineer, who was born in Osmer, and who built the bridge?",
        "How long are the tunnel, the viaduct, and who built them?",
    ):
        assert not any(
            part.question.startswith(("Was ", "Is ", "How long are who", "Which engineer?"))
            for part in split(question).parts
        )


def test_a_simple_question_has_no_parts():
    assert split("When did the railway open?") == Split()
    assert split("Who owns the mill and the quarry?") == Split()


def test_questions_side_by_side_are_asked_each_for_itself():
    two = split("Who built the stone bridge and when did the quarry close?")
    assert two.independent
    assert [part.question for part in two.parts] == [
        "Who built the stone bridge?",
        "When did the quarry close?",
    ]
    assert asked("Wer baute die Brücke und wann wurde der Steinbruch geschlossen?") == [
        "Wer baute die Brücke?",
        "Wann wurde der Steinbruch geschlossen?",
    ]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who was older, Anna Berg or Lena Holt?", ("Anna Berg", "Lena Holt")),
        ("Compare the steam engines with the railcars.", ("steam engines", "railcars")),
        ("How does the signal box differ from the station?", ("signal box", "station")),
        ("What is the difference between a mill and a quarry?", ("mill", "quarry")),
        ("Boxes vs. references", ("Boxes", "references")),
        ("Pros and cons of using maps vs lists", ("maps", "lists")),
        ("Compare maps, lists and sets", ("maps", "lists", "sets")),
        ("Compare threads and processes in terms of cost", ("threads", "processes")),
        ("Which is longer, the old bridge or the new bridge?", ("old bridge", "new bridge")),
    ],
)
def test_a_comparison_asks_of_each_thing(question: str, names: tuple[str, str]):
    compared = comparison(question)
    assert compared is not None
    assert compared.names == names
    parts = split(question)
    assert not parts.independent
    assert {name for part in parts.parts for name in part.names} == set(names)


def test_a_comparative_becomes_the_question_that_settles_it():
    assert "How long is Iron Bridge?" in asked("Which is longer, the Stone Bridge or Iron Bridge?")


def test_a_list_is_asked_item_by_item():
    assert asked("Which rules apply to volunteers, trains in winter, and dogs?") == [
        "Which rules apply to volunteers?",
        "Which rules apply to trains in winter?",
        "Which rules apply to dogs?",
    ]


def test_what_is_to_be_listed_is_asked_for():
    assert asked("List the bridges, the engineers, and the towns.") == [
        "What are the bridges?",
        "What are the engineers?",
        "What are the towns?",
    ]


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("quarry", "quarry"),
        ("stone bridge", "stone bridge"),
        ("What is known of the Stone Bridge?", "Stone Bridge"),
        ("What is a lifetime?", "lifetime"),
        ("Wer war Anna Berg?", "Anna Berg"),
        ("Where is the quarry?", None),
        ("When did the quarry above the valley close?", None),
    ],
)
def test_a_topic_is_told_from_a_question(question: str, topic: str | None):
    assert topic_of(question) == topic


def test_a_change_is_asked_at_both_of_its_ends():
    assert asked("How did the fares change between 2023 and 2025?") == [
        "What is said of the fares in 2023?",
        "What is said of the fares in 2025?",
    ]


def test_a_history_asks_for_beginning_and_end():
    parts = asked("Give me a timeline of the railway.")
    assert "When was the railway founded, built or opened?" in parts
    assert "When was the railway closed or ended?" in parts


def test_a_clause_is_asked_of_its_noun():
    parts = asked("In which town was the engineer who designed the Stone Bridge born?")
    assert "Which engineer designed the Stone Bridge born?" in parts


QUOTE = "The stone bridge was designed by the engineer Anna Berg."


def test_what_a_quote_says_already_gives_way_to_the_name_it_names():
    question = "In which town was the engineer who designed the stone bridge born?"
    assert follow(question, "Anna Berg", QUOTE) == "In which town was Anna Berg born?"


@pytest.mark.parametrize(
    "question", ["When did Anna Berg die?", "Which engineer designed the stone bridge?"]
)
def test_nothing_is_followed_that_is_asked_or_answered_already(question: str):
    assert follow(question, "Anna Berg", QUOTE) is None


def test_a_quote_that_hardly_touches_the_question_is_not_followed():
    assert follow("Which prize did the engineer win in Oslo?", "Anna Berg", QUOTE) is None


def test_the_name_that_was_followed_is_known_again():
    question = "In which town was the engineer who designed the stone bridge born?"
    assert followed_name(question, "In which town was Anna Berg born?") == "Anna Berg"


def test_a_part_that_leans_on_the_rest_is_not_asked_by_itself():
    parts = split("Who designed the old line, and in which country had he worked before?")
    assert [part.question for part in parts.parts] == ["Who designed the old line?"]
    assert not parts.independent


@given(st.text(max_size=200), st.text(max_size=40), st.text(max_size=200))
def test_no_text_breaks_the_rules(question: str, name: str, quote: str):
    assert len(split(question).parts) <= MOST_PARTS
    followed = follow(question, name, quote)
    assert followed is None or name in followed
