"""A name that three documents have for different things is asked back; other names are not."""

from __future__ import annotations

import pytest
from written_files import session_over

from rag.question.underspecified import choices

THREE = {
    "film.md": "# Frozen (film)\n\nThe story begins in a castle. It was made by Ada Hall.\n",
    "house.md": "# Frozen (house)\n\nThe lease begins in May. It was made by a mason.\n",
    "record.md": "# Frozen (record)\n\nThe song begins with bells. It was made by a choir.\n",
    "pump.md": "# The pump\n\nThe pump begins to run at dawn. Oil it twice a year.\n",
    "fares.md": "# Fares\n\nA single ticket costs 14 pounds. Dogs travel free.\n",
}
MANUALS = {
    f"{name}.md": f"# The {name} manual\n\n{name} is small.\n\n## Gateway\n\n"
    f"The gateway of it listens on port {port}.\n"
    for name, port in (("alpha", 8000), ("beta", 9000), ("gamma", 7000))
}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with session_over(tmp_path_factory.mktemp("names"), {**THREE, **MANUALS}) as opened:
        yield opened


@pytest.mark.parametrize("question", ["When does Frozen begin?", "Who made Frozen?", "frozen"])
def test_a_name_of_three_things_is_met_with_their_titles(session, question):
    assert set(choices(question, session.reader)) == {
        "Frozen (film)",
        "Frozen (house)",
        "Frozen (record)",
    }


@pytest.mark.parametrize(
    "question",
    [
        "When does the film Frozen begin?",
        "Who made Frozen, the record?",
        "Which bells does Frozen begin with?",
        "When does the pump begin to run?",
        "Which port does the gateway of beta listen on?",
        "Who made Frozen? (Frozen (film))",
        "What does a ticket cost?",
        "Which port does the gateway listen on?",  # all three can be told
        "Who made Frozen and Melted?",  # a word that nothing has
    ],
)
def test_a_question_that_says_which_is_not_asked_back(session, question):
    assert choices(question, session.reader) == []


def test_two_things_of_a_name_are_both_told(tmp_path):
    two = {name: text for name, text in THREE.items() if name != "house.md"}
    with session_over(tmp_path, two) as opened:
        assert choices("Who made Frozen?", opened.reader) == []


def test_the_thing_that_has_the_name_alone_is_meant(tmp_path):
    alone = {"plain.md": "# Frozen\n\nIt begins at once. It was made by Bo.\n"}
    with session_over(tmp_path, {**THREE, **alone}) as opened:
        assert choices("Who made Frozen?", opened.reader) == []


def test_ask_ends_with_3_and_names_the_choices(session):
    answer = session.ask("Who made Frozen?")
    assert answer["status"] == "abstained"
    assert len(answer["clarify"]) == 3
    assert "Frozen (house)" in answer["answer"]


def test_a_part_of_a_research_run_is_looked_up_and_not_asked_back(session):
    answer = session.ask("Who made Frozen?", parent="20260101-000000-abcdef")
    assert answer["clarify"] == []
    assert len(answer["citations"]) > 1


def test_a_conversation_goes_on_with_the_choice(session):
    events = list(session.stream("Who made Frozen?", thread="n", can_reply=True))
    assert events[-1]["event"] == "asked_back"
    place = events[-1]["choices"].index("Frozen (film)") + 1
    resumed = session.stream("Who made Frozen?", thread="n", can_reply=True, reply=str(place))
    (answer,) = [event["answer"] for event in resumed if event["event"] == "answer"]
    assert answer["citations"][0]["source"].endswith("film.md")
