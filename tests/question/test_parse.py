import pytest

from rag.question.parse import parse_question, split_context
from rag.question.parts import is_near, read_parts, split


def test_a_number_counts_as_it_is_and_a_misspelt_word_as_the_one_it_stands_for(railway):
    assert parse_question("Who wrote rule 168?", railway)["specificity"]["168"] == 1.0
    question = parse_question("Who designed the viaducct?", railway)
    assert question["text"] == "Who designed the viaduct?"
    assert "viaduct" in question["terms"]


@pytest.mark.parametrize(
    ("question", "near"),
    [("Tell me everything about the viaduct", True), ("Tell me everything about whales", False)],
)
def test_what_speaks_of_the_matter_is_near_however_little_it_answers(railway, question, near):
    (part,) = read_parts(question, railway)
    assert is_near({**part, "in_domain": 0.0}) == near


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("When was it built, and who cast it?", ["When was it built", "who cast it?"]),
        ("What does it cost? Where is it sold?", ["What does it cost?", "Where is it sold?"]),
        ("When was it built, and who cast it? (X)", ["When was it built (X)", "who cast it? (X)"]),
        (
            "Who runs it and under which licence is it sold?",
            ["Who runs it", "under which licence is it sold?"],
        ),
        (
            "Can dogs ride, and in which car? When is it red, and when green?",
            ["Can dogs ride", "in which car?", "When is it red, and when green?"],
        ),
        ("Are dogs allowed? Is it open?", ["Are dogs allowed?", "Is it open?"]),
        (
            "Who is Ann? Who is Bob? Who is Cid? Who is Dan? Who is Eve?",
            ["Who is Ann?", "Who is Bob?", "Who is Cid?", "Who is Dan?; Who is Eve?"],
        ),
        (
            "When was it built, and on Sundays, how often does it run?",
            ["When was it built", "on Sundays, how often does it run?"],
        ),
    ],
)
def test_questions_within_a_question_are_told_apart(question, parts):
    assert split(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "How long is it?",
        "Which trains stop and start at Corrie?",
        "salt and pepper",
        "We run on coal; what is burnt, and how is it stored?",
        "And in winter? (When is it open)",
        "and is it slow? (How does the GC (garbage collector) work?)",
        "When is it red, and when green?",
        "How do Ada and Ben, who lives in Osmer, get home?",
        "Between Osmer and Linden, how long is the line?",
    ],
)
def test_one_question_stays_whole(question):
    assert split(question) == [question]


@pytest.mark.parametrize(
    ("question", "context"),
    [
        ("and it? (How does the GC (garbage collector) work?)", "How does the GC (garbage"),
        ("and it (really)? (the sum (a (b)))", "the sum (a (b))"),
        ("and step 2? (What does step 1) do?)", "What does step 1) do?"),
        ("What does (a) do, and f(x)", ""),
        ("(no question)", ""),
        (")", ""),
    ],
)
def test_a_context_may_hold_brackets_itself(question, context):
    typed, found = split_context(question)
    assert found.startswith(context)
    assert question == (f"{typed} ({found})" if context else typed)
