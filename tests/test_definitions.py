"""What says what a thing is, and how it is found and answered with."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text.definitions import definition_asked


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        ("What is a trait?", "A _trait_ defines the functionality of a type.", 1.0),
        ("what is ownership", "Intro.\n\n_Ownership_ is a set of rules.", 1.0),
        ("What's a crate?", "* **Crates**: A tree of modules", 1.0),
        ("What does CBD stand for?", "The CBD (central business district) is the core.", 1.0),
        ("what is borrowing?", "We call the making of a reference _borrowing_.", 1.0),
        ("What are smart pointers?", "Smart pointers, on the other hand, are the ones ...", 1.0),
        ("Define shadowing.", "Shadowing lets us use a name again.", 0.5),
        ("What is a trait?", "Wherever we use a trait object, it is used.", 0.0),
        ("What is a trait?", "That is called a _supertrait_ of your trait.", 0.0),
        ("What are lifetimes?", "They are called the _lifetime elision rules_.", 0.0),
        ("What is shadowing?", "[shadowing]: ch03.html#shadowing", 0.0),
        ("What is Rust?", "a formatter called `rustfmt`.", 0.0),
        ("What are lifetimes?", "what the return\ntype's lifetime is a matter of", 0.0),
    ],
)
def test_a_definition_is_told_from_a_mention(question, text, said):
    definition = definition_asked(question)
    assert definition is not None
    assert definition.said_in(text) == said


@pytest.mark.parametrize(
    "question",
    [
        "What is the purpose of locks?",
        "What is it?",
        "what's your name",
        "What is the difference between a trait and a type?",
        "When was the line opened?",
        "Is a trait a type?",
        "trait",
    ],
)
def test_other_questions_ask_for_no_definition(question):
    assert definition_asked(question) is None


@given(st.text(alphabet="a _*`\n:>(,'calls is", max_size=300))
def test_any_text_can_be_asked(text):
    definition = definition_asked("What is a call?")
    assert definition is not None
    assert definition.said_in(text) in (0.0, 0.5, 1.0)


@pytest.mark.parametrize(
    "piece", ["\n", "*_", "\n>", "call ", "called a ", "call, ", "call (", "a "]
)
def test_hostile_text_takes_no_long_time(piece):
    definition = definition_asked("What is a call?")
    assert definition is not None
    began = time.process_time()
    definition.said_in(piece * (20_000 // len(piece)))
    assert time.process_time() - began < 1


@pytest.mark.parametrize("end", ["?", "@b", "- -"])
def test_a_long_question_takes_no_long_time(end):
    began = time.process_time()
    definition_asked(f"What is a{'-' * 20_000}{end}")
    assert time.process_time() - began < 1


@pytest.mark.parametrize("word", ["café", "Größe", "Straße", "ёлка"])
def test_a_word_keeps_its_letters(word):
    definition = definition_asked(f"What is {word}?")
    assert definition is not None
    assert definition.said_in(f"{word} is a thing.") == 1.0
