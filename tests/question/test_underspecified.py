"""Questions that say too little are asked back, with what could be meant; others are not."""

from __future__ import annotations

import json

import pytest
from written_files import session_over

from rag.index.terms import terms
from rag.question.followup import weights_of
from rag.question.underspecified import asks_anew, choices, says_too_little

FILES = {
    "tunnel.md": "# Corbel Tunnel\n\nThe tunnel is 912 metres long. It was driven in 1896.\n",
    "viaduct.md": "# Gillfoot Viaduct\n\nThe viaduct is 212 metres long. It was built in 1895.\n",
    "depot.md": "# Osmer Depot\n\nThe depot is 80 metres long and holds nine engines.\n",
    "fares.md": "# Fares\n\nA single ticket to Osmer costs 14 pounds. Dogs travel free.\n",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with session_over(tmp_path_factory.mktemp("line"), FILES) as opened:
        yield opened


def too_little(question, reader):
    return says_too_little(question, weights_of(sorted(set(terms(question))), reader))


@pytest.mark.parametrize(
    "question", ["How long is it?", "When was it built?", "And in winter?", "why?"]
)
def test_a_question_about_nothing_named_says_too_little(session, question):
    assert too_little(question, session.reader)


@pytest.mark.parametrize(
    "question",
    [
        "How long is the Corbel Tunnel?",
        "When was the Gillfoot Viaduct built and how long is it?",
        "tunnel",
        "What is a depot?",
        "What does a single ticket to Osmer cost?",
        "What is one way to travel to Osmer with dogs?",
        "what does --one-way do",
        "How do I take one of the trams?",
    ],
)
def test_a_question_that_names_its_matter_does_not(session, question):
    assert not too_little(question, session.reader)


def test_the_choices_are_what_the_words_lead_to(session):
    meant = choices("How long is it?", session.reader)
    assert set(meant) >= {"Corbel Tunnel", "Gillfoot Viaduct"}
    assert "Fares" not in meant


def test_where_only_one_thing_can_be_meant_nothing_is_asked_back(tmp_path):
    with session_over(tmp_path, {"tunnel.md": FILES["tunnel.md"]}) as opened:
        assert choices("How long is it?", opened.reader) == []
        assert "912 metres" in opened.ask("How long is it?")["answer"]


def test_it_is_what_a_whole_manual_is_about(tmp_path):
    pages = {
        f"page-{n}.md": f"# Part {n}\n\nFerrotype keeps part {n} of {what} beside its settings.\n"
        for n, what in enumerate(["plates", "lenses", "frames", "trays", "lamps"] * 10)
    }
    with session_over(tmp_path, pages) as manual:
        assert choices("Where does it keep its settings?", manual.reader) == []
        assert len(choices("Where do they keep their settings?", manual.reader)) > 1


def test_a_manual_need_not_name_its_subject_everywhere_and_a_series_has_none(tmp_path):
    pages = {
        f"page-{n}.md": f"# {what} {n}\n\n"
        + (f"The ferrotype cleans {what} with water.\n" if n % 2 else f"Dry {what} by hand.\n")
        for n, what in enumerate(["plates", "lenses", "frames", "trays", "lamps"] * 12)
    }
    numbered = {name.replace("page-", "0"): text for name, text in pages.items()}
    for folder in ("manual", "proposals"):
        (tmp_path / folder).mkdir()
    with session_over(tmp_path / "manual", pages) as manual:
        assert choices("How does it clean?", manual.reader) == []
        assert len(choices("How does he clean?", manual.reader)) > 1
    with session_over(tmp_path / "proposals", numbered) as proposals:
        assert len(choices("How does it clean?", proposals.reader)) > 1


@pytest.mark.parametrize(
    "question", ["Is it possible to travel free?", "What does it cost to take a dog?"]
)
def test_it_may_stand_for_nothing(session, question):
    assert not too_little(question, session.reader)


def test_without_anybody_to_reply_the_turn_abstains_and_says_what_could_be_meant(session):
    answer = session.ask("How long is it?")
    assert answer["status"] == "abstained"
    assert "Corbel Tunnel" in answer["clarify"]
    assert all(choice in answer["answer"] for choice in answer["clarify"])
    assert answer["citations"] == answer["nearest"] == []


def test_the_reply_resumes_the_turn_and_is_not_asked_for_again(session):
    question = "How long is it?"
    events = list(session.stream(question, thread="a", can_reply=True))
    assert events[-1]["event"] == "asked_back"
    place = events[-1]["choices"].index("Corbel Tunnel") + 1
    assert session.memory.store.last_turn("a") == 0
    resumed = list(session.stream(question, thread="a", can_reply=True, reply=str(place)))
    assert "asked_back" not in [event["event"] for event in resumed]
    answer = next(event["answer"] for event in resumed if event["event"] == "answer")
    assert answer["question"] == question
    assert answer["standalone_question"] == "How long is it? (Corbel Tunnel)"
    assert "912 metres" in answer["answer"]
    assert session.memory.store.last_turn("a") == 1
    json.dumps(answer)


def test_a_reply_in_words_counts_and_an_empty_one_goes_on_without(session):
    for reply, told in (("the viaduct", "212 metres"), ("", "metres")):
        list(session.stream("How long is it?", thread="b", can_reply=True))
        resumed = session.stream("How long is it?", thread="b", can_reply=True, reply=reply)
        answer = next(event["answer"] for event in resumed if event["event"] == "answer")
        assert told in answer["answer"]
        session.memory.delete("b")


def test_another_question_instead_of_a_reply_begins_anew(session):
    list(session.stream("How long is it?", thread="c", can_reply=True))
    events = list(session.stream("What does a single ticket to Osmer cost?", thread="c"))
    answer = next(event["answer"] for event in events if event["event"] == "answer")
    assert "14 pounds" in answer["answer"]


def test_without_a_reply_after_all_the_turn_ends_as_asked_back(session):
    list(session.stream("How long is it?", thread="e", can_reply=True))
    events = list(session.stream("How long is it?", thread="e", reply=""))
    (answer,) = [event["answer"] for event in events if event["event"] == "answer"]
    assert answer["status"] == "abstained"
    assert answer["question"] == answer["standalone_question"] == "How long is it?"
    assert "Corbel Tunnel" in answer["clarify"]
    assert answer["answer"] == session.ask("How long is it?")["answer"]
    assert session.memory.store.last_turn("e") == 1
    assert "912 metres" in session.ask("How long is the Corbel Tunnel?", thread="e")["answer"]


@pytest.mark.parametrize(
    "said",
    ["2", "7", "Corbel Tunnel", "corbel tunnel?", "the viaduct", "How long is it?", "why?", ""],
)
def test_what_names_a_choice_or_asks_too_little_is_a_reply(session, said):
    assert not asks_anew(said, ["Corbel Tunnel", "Gillfoot Viaduct"], session.reader)


@pytest.mark.parametrize(
    "said",
    ["What does a single ticket to Osmer cost?", "how are tickets sold", "thanks!", "Dogs, free?"],
)
def test_what_asks_enough_by_itself_is_no_reply(session, said):
    assert asks_anew(said, ["Corbel Tunnel", "Gillfoot Viaduct"], session.reader)


def test_a_choice_that_is_a_question_can_be_named(session):
    assert not asks_anew("what is a depot", ["What is a depot?", "Fares"], session.reader)


def test_within_a_conversation_a_follow_up_is_understood_and_not_asked_back(session):
    session.ask("How long is the Corbel Tunnel?", thread="d")
    events = list(session.stream("When was it driven?", thread="d", can_reply=True))
    assert "1896" in next(e["answer"]["answer"] for e in events if e["event"] == "answer")
