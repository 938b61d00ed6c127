"""A statement is answered by what bears it out and by what contradicts it."""

from __future__ import annotations

import pytest

from rag.answering.opposites import opposed
from rag.answering.question import analyse
from rag.engines.local.answerable import answers
from rag.engines.local.grader_model import grader_model

ALIKE = {
    "cosine": 0.55,
    "words": 2.3,
    "covered": 0.0,
    "rarest_in_source": 0.0,
    "elsewhere": 0.0,
    "name_missing": 0.0,
    "number_missing": 0.0,
    "order_kept": 1.0,
    "counterparts": 0.7,
    "unmatched": 1.0,
    "opposite": 0.0,
    "denial_missing": 0.0,
}


@pytest.mark.parametrize(
    "text",
    [
        "What is a trait?",
        "Where did the line end",
        "is smoking harmful",
        "list the stations",
        "In which year did it open.",
        "The line opened when?",
    ],
)
def test_a_question_asks(text):
    assert analyse(text).asks


@pytest.mark.parametrize(
    "text",
    [
        "Smoking is harmless.",
        "Cells divide when they are fed.",
        "opening hours museum",
        "Plants that lack light grow where water is.",
    ],
)
def test_a_statement_and_words_to_look_for_ask_nothing(text):
    assert not analyse(text).asks


def test_a_statement_is_answered_by_its_contrary_and_a_question_is_not():
    against = {**ALIKE, "opposite": 1.0, "denial_missing": 1.0, "number_missing": 1.0}
    assert not answers(analyse("Which of 3 treatments is not harmful to the old?"), against)
    assert answers(analyse("The treatment of 3 weeks is not harmful to the old."), against)


def test_numbers_within_identifiers_are_not_figures():
    assert analyse("Does H3K9me3 slow CP-400 or the 16 others?").numbers == {"16"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("prices rose", "prices fell"),
        ("the poorest regions", "the wealthiest regions"),
        ("he is unable", "he is able"),
        ("an unimportant town", "an important town"),
        ("in summer", "in winter"),
    ],
)
def test_opposites_are_known_by_their_stems(one, other):
    assert opposed(one.split(), other.split())
    assert opposed(other.split(), one.split())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("prices rose", "prices were raised"),
        ("prices rose", "prices rose and fell"),
        ("the first and the last", "the last"),
        ("big towns", "large cities"),
    ],
)
def test_like_words_and_words_of_both_sides_are_no_opposites(one, other):
    assert not opposed(one.split(), other.split())


def test_a_large_collection_must_know_more_of_a_matter_than_a_small_one():
    model = grader_model()
    least = model.known.threshold
    assert model.knows(least, 1)
    assert model.knows(least, 300)
    assert not model.knows(least, 1200)
    assert not model.knows(least - 0.01, 1)
    assert model.knows(0.4, 1_000_000)
