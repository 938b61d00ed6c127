"""A follow-up stands alone afterwards, and a new topic inherits nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turn_samples import history_turn

from rag.index.terms import terms
from rag.question.followup import resolved_wordings, stand_alone

CALLED = "why was the eastern roman empire called the byzantine empire"
NAMED = "The Byzantine Empire was named after Byzantium. The Byzantine Empire's capital was Nova."
BYZANTIUM = [history_turn(CALLED, NAMED)]
ACT = "What does the Evidence Act say about electronic records?"
SAYS = "Under the Evidence Act electronic records are admissible in civil cases [1]."
EVIDENCE = [history_turn(ACT, SAYS)]


@pytest.mark.parametrize(
    ("history", "question"),
    [
        (BYZANTIUM, "What was its religion?"),
        (BYZANTIUM, "Did they have a capital?"),
        (EVIDENCE, "what about criminal cases?"),
        (EVIDENCE, "tell me more"),
        (EVIDENCE, "and in 2021?"),
        (EVIDENCE, "is that safe?"),
        (EVIDENCE, "how many pages does it have?"),
        (EVIDENCE, "how long does that take"),
        (EVIDENCE, "how often is this tested"),
        (EVIDENCE, "what must I check afterwards"),
        (EVIDENCE, "which civil cases are included in it?"),
        (EVIDENCE, "what happens to the records then?"),
        (EVIDENCE, "how would I avoid that next time?"),
        (EVIDENCE, "and how do I get newer versions anyway?"),
    ],
)
def test_follow_up_carries_what_it_leans_on(history, question):
    alone, _ = stand_alone(question, history)
    assert alone == f"{question} ({history[0]['question']})"


def leaning(question, number):
    leant = f"{question} (what it leant on)"
    return {**history_turn(question, number=number), "standalone_question": leant}


RULED = [*BYZANTIUM, leaning("And who ruled it then?", 2), leaning("why?", 3)]
BARE = ("why?", "Why not?", "how so")


@pytest.mark.parametrize(
    ("history", "question", "carried"),
    [
        *((RULED, word, f"{CALLED} And who ruled it then?") for word in BARE),
        ([*BYZANTIUM, leaning("Its religion?", 2)], "And who ruled it?", f"{CALLED} Its religion?"),
        ([*EVIDENCE, leaning("what about these?", 2)], "what about these?", ACT),
    ],
)
def test_a_chain_of_follow_ups_carries_the_questions_that_it_leans_on(history, question, carried):
    assert stand_alone(question, history) == (f"{question} ({carried})", carried)


def test_a_name_that_a_pronoun_cuts_is_weighed_as_a_whole():
    question = "What does corriere.it say of France?"
    assert stand_alone(question, BYZANTIUM)[0].startswith(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "What is the distance between the moon and the earth?",
        "Is herpes a lethal disease and how is it transmitted?",
        "Were Shakespeare's plays popular when he was alive?",
        "Where do guinea pigs sleep in the wild?",
        "What is a quokka flange?",
        "Who is the treasurer?",
        "rename table command line",
        "and when was the last car service",
        "Is the tower at Hollin higher than that at Osmer?",
        "How do I download a big file and unzip it?",
        "What happens to the old data after deleting it?",
        "Who takes a picture of the window to share it?",
        "How many parking spaces are there?",
        "What is the plan that is cheapest for schools?",
        "If the ferry to Hollin is cancelled, how long does that take?",
    ],
)
@pytest.mark.parametrize("history", [BYZANTIUM, EVIDENCE])
def test_first_question_of_a_new_topic_inherits_nothing(history, question):
    alone, carried = stand_alone(question, history)
    assert alone == question
    assert not carried


def test_newer_topic_wins_over_an_older_one():
    newer = history_turn("Where do guinea pigs sleep in the wild?", "In burrows.", 2)
    alone, _ = stand_alone("What do they eat?", [*BYZANTIUM, newer])
    assert "guinea pigs" in alone
    assert "Empire" not in alone


def test_nothing_to_carry_leaves_the_question_as_it_is():
    assert stand_alone("why?", [history_turn("hm?", "")])[0] == "why? (hm?)"
    assert stand_alone("why?", [history_turn("why?", "")])[0] == "why?"


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=200))
def test_any_text_is_only_ever_added_to(question, asked, answer):
    alone, carried = stand_alone(question, [history_turn(asked, answer)])
    assert alone.startswith(question.rstrip())
    if not carried:
        assert alone == question
    else:
        assert set(terms(carried)) <= set(terms(asked))


@pytest.mark.parametrize(
    ("question", "wordings"),
    [
        ("Can it float? (When is the ferry at Hollin?)", ["Can ferry float?", "Can Hollin float?"]),
        ("and in winter? (the ferry)", ["and in winter ferry?"]),
        ("Can it cross the weir?", []),
        ("it? (is it)", []),
    ],
)
def test_a_follow_up_may_mean_what_is_carried_behind_it(question, wordings):
    found = resolved_wordings(question)
    assert set(wordings) <= set(found)
    assert bool(found) == bool(wordings)
