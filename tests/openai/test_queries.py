"""contextualize and rewrite: one line from the model, or a stand-in that says so."""

import json
import re

import pytest
from openai_samples import PARIS, QUESTION, asking, chunk_of, connect
from scripted_server import ScriptedServer, text
from turn_samples import history_turn

HISTORY = [history_turn(QUESTION, "Paris [1].")]
SEARCHED = asking(documents=[PARIS])


def question(said):
    return text(json.dumps({"question": said}))


@pytest.mark.parametrize(
    ("reply", "alone"),
    [
        (question("What is the capital of Germany?"), "What is the capital of Germany?"),
        (text('<think>hm</think>\n{"question": "What is it?"}'), "What is it?"),
        (question("and germany"), "And Germany?"),
    ],
)
def test_a_follow_up_costs_one(reply, alone):
    with ScriptedServer(reply) as server:
        result = connect(server).contextualize("And Germany?", HISTORY)
    assert result.question == alone
    assert len(server.requests) == 1
    assert result.warnings == ()


@pytest.mark.parametrize(
    "reply",
    [
        *map(question, ("", "?!", "x" * 600, "The capital of Germany is Berlin.", QUESTION)),
        *map(question, ("What of Germany [1]?", ["What is it?"])),
        *map(text, ("", "What is the capital of Germany?", "I'm sorry, I cannot rewrite this.")),
        text('{"question": "its tea?"}\n{"question": "German tea?"}'),
    ],
)
def test_what_is_no_question_of_its_own_leaves_it_to_code_with_a_warning(reply):
    said = {**HISTORY[0], "answer": "Paris is the capital and the largest city of France."}
    with ScriptedServer(reply) as server:
        result = connect(server).contextualize("And of Germany?", [said])
    assert result.question == "And of Germany? (by code)"
    assert "did not rewrite" in result.warnings[0]
    assert len(server.requests) == 1


def test_an_abstention_is_a_turn_without_words_and_markers_are_left_out():
    turns = [{**HISTORY[0], "question": "Who made tea?", "answer": ""}, HISTORY[0]]
    with ScriptedServer(question("What is the capital of Germany?")) as server:
        connect(server).contextualize("And Germany?", turns)
    prompt = server.requests[0].prompt
    assert "User: Who made tea?\n</document>" in prompt
    assert "Assistant: Paris.\n" in prompt


def test_a_model_is_asked_for_other_words_with_the_titles_and_no_text():
    mail = {**chunk_of("letter", "Dear all"), "title": None}
    with ScriptedServer(text('{"queries": ["seat of the\\n French government"]}')) as server:
        result = connect(server).rewrite(asking(documents=[PARIS, mail]))
    assert list(result.queries) == ["seat of the French government"]
    (request,) = server.requests
    assert PARIS["text"] not in request.prompt
    assert re.search(r"#\w+\nTitle of paris\nletter.md\n</document>", request.prompt)


@pytest.mark.parametrize(
    "queries", [["seat of government [1]"], ["", QUESTION.lower()], [], [{"query": "seat"}], True]
)
def test_a_rewrite_that_says_nothing_new_is_left_to_code(queries):
    with ScriptedServer(text(json.dumps({"queries": queries}))) as server:
        result = connect(server).rewrite(SEARCHED)
    assert (result.queries, result.reason) == ((), "code has no other words")
