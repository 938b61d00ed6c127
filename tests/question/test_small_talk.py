"""What asks nothing of the documents is answered at once, and nothing else is."""

import json

import pytest
from crag import crag

from rag.question.small_talk import small_talk


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("great, thanks!", "welcome"),
        ("thanks, that\u2019s all", "welcome"),
        ("Thanks, bye!", "Goodbye"),
        ("hi there", "Hello"),
        ("OK", "All right"),
    ],
)
def test_small_talk_is_answered_in_one_line(said, reply):
    answer = small_talk(said)
    assert reply in answer
    assert len(answer.splitlines()) == 1


@pytest.mark.parametrize(
    "question",
    [
        "ok, and why?",
        "great circle",
        "hello world",
        "thanks to whom was it built?",
        "cool down period",
        "then what",
        "goodbye to the old engine: when was that?",
        "what did I ask the board to decide first?",
        "",
    ],
)
def test_question_is_not_swallowed(question):
    assert small_talk(question) is None


def test_what_asks_nothing_of_them_costs_no_search_and_exits_with_0(home):
    done = crag(home, "ask", "ok, thanks!", "--json")
    answer = json.loads(done.stdout)
    assert (done.exit_code, answer["status"]) == (0, "answered")
    assert answer["answer"] == "You are welcome."
    assert answer["citations"] == answer["loops"] == answer["warnings"] == []
    assert "retrieve" not in answer["timings_ms"]
    shown = crag(home, "trace", "last")
    assert "nothing to look up" in shown.stdout + shown.stderr
