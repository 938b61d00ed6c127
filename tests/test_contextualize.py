"""S4.5 by rules: a follow-up stands alone afterwards, a new topic inherits nothing."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.engines.local.contextualize import CARRIED, contextualize
from rag.index.terms import terms


class Words:
    """Document frequencies of a collection where common words are common."""

    chunk_count = 10_000
    common = frozenset(
        terms("people play work song movie kill built popular war country state film city year")
    )
    known = frozenset(
        terms(
            "byzantine empire eastern roman called constantinople religion guinea pigs sleep wild"
            " burrows evidence act electronic records criminal cases civil return ticket children"
            " adult fare moon earth distance herpes lethal disease transmitted capital france"
            " shakespeare plays alive"
        )
    )

    def document_frequencies(self, wanted):
        return {
            term: 1500 if term in self.common else 12
            for term in wanted
            if term in self.common or term in self.known
        }


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
        (BYZANTIUM, "Did they have a capital?", "Byzantine Empire"),
        (EVIDENCE, "what about criminal cases?", "electronic"),
        (EVIDENCE, "why?", "electronic"),
        (EVIDENCE, "tell me more", "Evidence"),
        (EVIDENCE, "and in 2021?", "Evidence"),
        (EVIDENCE, "Any exceptions", "electronic"),
    ],
)
def test_follow_up_carries_what_it_leans_on(history, question, carried):
    result = contextualize(question, history, Words())
    assert result.question.startswith(question)
    assert carried.casefold() in result.question.casefold()
    assert result.reason is not None
    assert "carried over" in result.reason


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
    result = contextualize(question, history, Words())
    assert result.question == question
    assert result.reason is None


def test_first_question_is_untouched():
    assert contextualize("why is it so?", [], Words()).question == "why is it so?"


def test_topic_outlives_a_chain_of_follow_ups():
    first = BYZANTIUM[0]
    second = turn("What was its religion?", "Its religion was Christianity.", 2)
    second["standalone_question"] = "What was its religion? (Byzantine Empire)"
    result = contextualize("And who ruled it?", [first, second], Words())
    assert "Byzantine Empire" in result.question


def test_newer_topic_wins_over_an_older_one():
    history = [*BYZANTIUM, turn("Where do guinea pigs sleep in the wild?", "In burrows.", 2)]
    result = contextualize("What do they eat?", history, Words())
    assert "guinea pigs" in result.question
    assert "Empire" not in result.question


def test_without_a_collection_the_words_themselves_must_do():
    assert "Byzantine Empire" in contextualize("What was its religion?", BYZANTIUM).question


def test_nothing_to_carry_leaves_the_question_as_it_is():
    assert contextualize("why?", [turn("hm?", "")], Words()).question == "why?"


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=200))
@settings(max_examples=60)
def test_any_text_is_only_ever_added_to(question, asked, answer):
    history = [turn(asked, answer)]
    result = contextualize(question, history, Words())
    assert result.question.startswith(question.rstrip())
    if result.reason is None:
        assert result.question == question
    else:
        added = set(terms(result.question[len(question.rstrip()) :]))
        assert len(added - set(terms(question))) <= CARRIED * 4
        assert added <= set(terms(asked)) | set(terms(answer)) | set(terms(question))


@pytest.mark.parametrize(
    "text", ["it " * 6000, "so " * 6000, "(" * 20000, "when it " * 2500, "a" * 20000, "no, " * 5000]
)
def test_long_hostile_text_takes_no_time(text):
    began = time.process_time()
    contextualize(text, [turn(text, text * 2)], Words())
    assert time.process_time() - began < 2
