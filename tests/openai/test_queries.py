"""contextualize and rewrite: one line from the model, or a stand-in that says so."""

import pytest
from openai_samples import PARIS, QUESTION, connect, grade_of
from scripted_server import ScriptedServer, status, text
from turn_samples import history_turn

from rag.budget import Budget
from rag.engines.protocol import RewriteRequest

HISTORY = [history_turn(QUESTION, "Paris [1].")]


def rewriting():
    known = {"paris": grade_of("paris", relevant=False, grader="local")}
    return RewriteRequest(QUESTION, (), [QUESTION], [PARIS], known)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("What is the capital of Germany?", "What is the capital of Germany?"),
        ('"What is the capital of Germany?"', "What is the capital of Germany?"),
        ("Standalone question: What is it?", "What is it?"),
        ("<think>hm</think>\nWhat is it?", "What is it?"),
        ("Here you go.\nQuestion: What is it?", "What is it?"),
        ("and germany", "And Germany?"),
    ],
)
def test_a_follow_up_costs_one(reply, question):
    with ScriptedServer(text(reply)) as server:
        result = connect(server).contextualize("And Germany?", HISTORY)
    assert result.question == question
    assert len(server.requests) == 1
    assert result.warnings == ()


@pytest.mark.parametrize(
    "reply",
    [
        *("", "?!", "x" * 600, "I think.\nYou should.\nAsk again."),
        *("The capital of Germany is Berlin.", "What of Germany [1]?", QUESTION),
        "I'm sorry, I cannot rewrite this question. What is it?",
        "There is no question in the conversation?",
        '{"question": ["What is it?"]}',
    ],
)
def test_what_is_no_question_of_its_own_leaves_it_to_code_with_a_warning(reply):
    said = {**HISTORY[0], "answer": "Paris is the capital and the largest city of France."}
    with ScriptedServer(text(reply)) as server:
        result = connect(server).contextualize("And of Germany?", [said])
    assert result.question == "And of Germany? (by code)"
    assert "did not rewrite" in result.warnings[0]
    assert len(server.requests) == 1


def test_two_replies_that_differ_make_no_follow_up():
    with ScriptedServer(text('{"question": "its tea"}\n{"question": "German tea"}')) as server:
        result = connect(server).contextualize("And Germany", HISTORY)
    assert result.question == "And Germany (by code)"


def test_an_abstention_is_a_turn_without_words_and_markers_are_left_out():
    turns = [{**HISTORY[0], "question": "Who made tea?", "answer": ""}, HISTORY[0]]
    with ScriptedServer(text("What is the capital of Germany?")) as server:
        connect(server).contextualize("And Germany?", turns)
    prompt = server.requests[0].prompt
    assert "User: Who made tea?\n</document>" in prompt
    assert "Assistant: Paris.\n" in prompt


@pytest.mark.parametrize("reply", [status(500, "oops"), status(400, "context length exceeded")])
def test_a_server_that_fails_is_done_without_and_not_asked_again_in_that_question(reply):
    with ScriptedServer(always=reply) as server:
        engine = connect(server).for_question(Budget())
        read = engine.contextualize("And Germany?", HISTORY)
        asked = len(server.requests)
        rewritten = engine.rewrite(rewriting())
        assert len(server.requests) == asked
    assert read.question == "And Germany? (by code)"
    assert "read as code reads it" in read.warnings[0]
    assert rewritten.reason == "code has no other words"


def test_where_code_alone_graded_the_model_is_asked_for_other_words():
    with ScriptedServer(text("Query: seat of the French government")) as server:
        result = connect(server).rewrite(rewriting())
    assert list(result.queries) == ["seat of the French government"]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        *("I cannot help with that", "seat of government [1]", "N/A", "", QUESTION.lower()),
        '{"queries": ["seat of government"]}\n{"queries": ["French capital"]}',
        '{"queries": [{"query": "seat of government"}]}',
        '{"queries": true}',
    ],
)
def test_a_rewrite_that_says_nothing_new_is_left_to_code(reply):
    with ScriptedServer(text(reply)) as server:
        result = connect(server).rewrite(rewriting())
    assert (result.queries, result.reason) == ((), "code has no other words")
