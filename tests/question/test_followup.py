"""A follow-up stands alone afterwards, and a new topic inherits nothing."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_runs import collection_of

from rag.index.terms import terms
from rag.question.followup import stand_alone


class Words:
    """Document frequencies of a collection where common words are common."""

    chunk_count = 10_000
    titles = ("Byzantine Empire", "Electronic evidence", "Guinea pig")
    common = frozenset(
        terms("people play work song movie kill built popular war state city year exceptions")
    )
    known = frozenset(
        terms(
            "byzantine empire eastern roman called constantinople religion guinea pigs sleep wild"
            " burrows evidence act electronic records criminal cases civil return ticket children"
            " adult fare moon earth distance herpes lethal disease transmitted capital france"
            " shakespeare plays alive tell"
        )
    )

    def document_frequencies(self, wanted):
        return {
            term: 1500 if term in self.common else 12
            for term in wanted
            if term in self.common or term in self.known
        }

    def search(self, query, k):
        named = [t for t in self.titles if set(terms(t)) & set(terms(query))]
        return [{"title": title, "heading": ""} for title in named[:k]]


def turn(question, answer="", number=1):
    return {
        "question": question,
        "standalone_question": question,
        "answer": answer,
        "turn": number,
        "milestone": False,
    }


BYZANTIUM = [
    turn(
        "why was the eastern roman empire called the byzantine empire",
        "The Byzantine Empire was named after Byzantium. The Byzantine Empire's capital was "
        "Constantinople.",
    )
]
EVIDENCE = [
    turn(
        "What does the Evidence Act say about electronic records?",
        "Under the Evidence Act electronic records are admissible in civil cases [1].",
    )
]


@pytest.mark.parametrize(
    ("history", "question", "carried"),
    [
        (BYZANTIUM, "What was its religion?", "Byzantine Empire"),
        (BYZANTIUM, "Did they have a capital?", "Empire"),
        (EVIDENCE, "what about criminal cases?", "electronic"),
        (EVIDENCE, "tell me more", "Evidence"),
        (EVIDENCE, "and in 2021?", "Evidence"),
        (EVIDENCE, "Any exceptions", "electronic"),
    ],
)
def test_follow_up_carries_what_it_leans_on(history, question, carried):
    result = stand_alone(question, history, Words())
    assert result.question == f"{question} ({result.carried})"
    assert carried.casefold() in result.carried.casefold()


@pytest.mark.parametrize("question", ["why?", "Why not?", "how so"])
def test_bare_word_asks_about_the_whole_question_before(question):
    asked = [*BYZANTIUM, turn("And who ruled it then?", number=2)]
    asked[1]["standalone_question"] = "And who ruled it then? (Byzantine Empire)"
    result = stand_alone(question, [*asked, turn("why?", number=3)], Words())
    assert result.question == f"{question} (who ruled it then, Byzantine Empire)"


@pytest.mark.parametrize(
    ("asked", "carried"),
    [
        (
            "What is the distance between the moon and the earth?",
            "What is the distance between the moon and the earth",
        ),
        ("What does the print() function do?", "What does the print() function do"),
        ("and where is the capital of France (today)?", "where is the capital of France (today)"),
    ],
)
def test_the_question_before_is_carried_as_it_was_written(asked, carried):
    assert stand_alone("why?", [turn(asked)], Words()).carried == carried


def test_a_name_that_a_pronoun_cuts_is_weighed_as_a_whole():
    question = "What does www.corriere.it say of France?"
    assert stand_alone(question, BYZANTIUM, Words()).question.startswith(question)


HANDBOOK = {
    "lighthouse.md": "# The lighthouse\n\nThe lighthouse was built in 1821 of granite from Penryn.",
    "keepers.md": "# Keepers\n\nThree keepers lived here until 1988, when all was automated.",
    "rfc-12.md": "# RFC 12: fog signals\n\nRFC 12 was written by the harbour board.",
    "boats.md": "# Boats\n\nThe tender is built of oak and leaves at high water.",
    "walls.md": "# Harbour walls\n\nWalls built of granite stand longer than brick.",
    "huts.md": "# Huts\n\nThe huts were built for the masons and automated nothing.",
}


@pytest.fixture(scope="module")
def handbook(tmp_path_factory):
    return collection_of(tmp_path_factory.mktemp("handbook"), HANDBOOK)


def test_what_was_asked_about_is_carried_and_not_what_was_done_to_it(handbook):
    asked = [turn("When was the lighthouse built?", "In 1821 [1].")]
    result = stand_alone("And when was it automated?", asked, handbook)
    assert result.question == "And when was it automated? (lighthouse)"


def test_part_takes_the_question_along_whose_part_it_replaces(handbook):
    asked = [turn("When was the lighthouse built?")]
    for number, (part, whole) in enumerate(
        [
            ("And in stone?", "And in stone? (When was the lighthouse built)"),
            ("what about the walls?", "what about the walls? (When was the lighthouse built)"),
            ("why?", "why? (the walls, When was the lighthouse built)"),
        ],
        2,
    ):
        result = stand_alone(part, asked, handbook)
        assert result.question == whole
        asked.append({**turn(part, number=number), "standalone_question": whole})


def test_number_takes_along_what_it_numbers(handbook):
    result = stand_alone("who wrote it?", [turn("what is RFC 12 about?")], handbook)
    assert result.question == "who wrote it? (RFC 12)"


def test_thanks_and_what_was_refused_do_not_become_the_topic(handbook):
    asked = [
        turn("When was the lighthouse built?", "No sure answer. The nearest is about boats.", 1),
        turn("ok, thanks!", "You are welcome.", 2),
        turn("What did I ask first?", "You asked first: ...", 3),
    ]
    assert stand_alone("who lived in it?", asked, handbook).carried == "lighthouse"


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "What is the distance between the moon and the earth?",
        "Is herpes a lethal disease and how is it transmitted?",
        "Were Shakespeare's plays popular when he was alive?",
        "Where do guinea pigs sleep in the wild?",
        "What is a quokka flange?",
    ],
)
@pytest.mark.parametrize("history", [BYZANTIUM, EVIDENCE])
def test_first_question_of_a_new_topic_inherits_nothing(history, question):
    result = stand_alone(question, history, Words())
    assert result.question == question
    assert not result.carried


def test_first_question_is_untouched():
    assert stand_alone("why is it so?", [], Words()).question == "why is it so?"


def test_topic_outlives_a_chain_of_follow_ups():
    first = BYZANTIUM[0]
    second = turn("What was its religion?", "Its religion was Christianity.", 2)
    second["standalone_question"] = "What was its religion? (Byzantine Empire)"
    result = stand_alone("And who ruled it?", [first, second], Words())
    assert "Byzantine Empire" in result.question


def test_a_part_that_was_asked_about_is_newer_than_what_it_took_along():
    whole = "What is electronic evidence of the Byzantine Empire"
    part = turn("what about guinea pigs?", number=2)
    part["standalone_question"] = f"what about guinea pigs? ({whole})"
    result = stand_alone("What do they eat?", [turn(f"{whole}?"), part], Words())
    assert result.carried.startswith("guinea pigs")


def test_newer_topic_wins_over_an_older_one():
    history = [*BYZANTIUM, turn("Where do guinea pigs sleep in the wild?", "In burrows.", 2)]
    result = stand_alone("What do they eat?", history, Words())
    assert "guinea pigs" in result.question
    assert "Empire" not in result.question


def test_nothing_to_carry_leaves_the_question_as_it_is():
    assert stand_alone("why?", [turn("hm?", "")], Words()).question == "why? (hm)"
    assert stand_alone("why?", [turn("why?", "")], Words()).question == "why?"


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=200))
@settings(max_examples=60)
def test_any_text_is_only_ever_added_to(question, asked, answer):
    result = stand_alone(question, [turn(asked, answer)], Words())
    assert result.question.startswith(question.rstrip())
    if not result.carried:
        assert result.question == question
    else:
        assert set(terms(result.carried)) <= set(terms(asked))


@pytest.mark.parametrize(
    "text", ["it " * 6000, "so " * 6000, "(" * 20000, "when it " * 2500, "a" * 20000, "no, " * 5000]
)
def test_long_hostile_text_takes_no_time(text):
    began = time.process_time()
    stand_alone(text, [turn(text, text * 2)], Words())
    assert time.process_time() - began < 2
