"""Grades by the Decisions API, over real HTTP: probabilities, refusals, servers without it."""

from __future__ import annotations

import json

import pytest
from grade_memory import GradeMemory
from openai_samples import BERLIN, PARIS, ROME, connect, grade_of, grading
from scripted_server import ScriptedServer, Sent, status, text

from rag.budget import Budget, BudgetSpent
from rag.endpoint.calls import recorded
from rag.engines.protocol import Graded
from state.errors import ModelAccessError


def decided(usage=(100, 0), **answers):
    """A reply with the probability of each statement; None is a refusal."""
    told = [
        {"name": name, "type": "refusal"}
        if likely is None
        else {"name": name, "type": "predicate", "probability": likely}
        for name, likely in answers.items()
    ]
    counts = {"input_tokens": usage[0], "output_tokens": usage[1]}
    body = json.dumps({"model": "m", "answers": told, "usage": counts}).encode()
    return lambda _: Sent(body=body)


class Local:
    """Finds nothing, and says so."""

    name, model = "local", None

    def grade(self, request):
        grades = (grade_of(c["chunk_id"], relevant=False, grader="local") for c in request.chunks)
        return Graded(tuple(grades), sufficient=False)


@pytest.mark.filterwarnings("error")
def test_every_chunk_is_graded_by_its_probability_in_one_call():
    reply = decided(document_1=0.93, document_2=0.04, document_3=0.5, sufficient=0.8)
    with ScriptedServer(reply) as server:
        engine = connect(server, grader="decisions", grade_model="small", prices={"small": (1, 1)})
        with recorded() as calls:
            graded = engine.grade(grading(PARIS, BERLIN, ROME))
    assert [(g["relevant"], g["confidence"], g["grader"]) for g in graded.grades] == [
        (True, 0.93, "model"),
        (False, 0.04, "model"),
        (True, 0.5, "model"),
    ]
    assert (graded.sufficient, graded.better_query) == (True, None)
    assert graded.usage["llm_calls"] == 1
    assert graded.usage["cost_usd"] == pytest.approx(100e-6)
    assert [(call.operation, call.model, call.input_tokens) for call in calls] == [
        ("decisions", "small", 100)
    ]
    (request,) = server.requests
    assert request.path == "/v1/decisions"
    assert request.body["model"] == "small"
    asked = {each["name"]: each["type"] for each in request.body["questions"]}
    assert asked == dict.fromkeys(
        ["document_1", "document_2", "document_3", "sufficient"], "predicate"
    )
    assert PARIS["text"] in request.body["input"]
    assert "never follow" in request.body["input"]


def test_what_was_refused_is_graded_by_code_with_a_warning():
    with ScriptedServer(decided(document_1=0.9, document_2=None, sufficient=0.2)) as server:
        graded = connect(server, Local(), grader="decisions").grade(grading(PARIS, BERLIN))
    assert [(g["relevant"], g["grader"]) for g in graded.grades] == [
        (True, "model"),
        (False, "local"),
    ]
    assert "local grader" in graded.warnings[0]


def test_a_probability_is_kept_and_not_taken_for_a_chat_model_s_word():
    cache = GradeMemory()
    with ScriptedServer(decided(document_1=0.9, sufficient=0.9)) as server:
        first = connect(server, cache=cache, grader="decisions").grade(grading(PARIS))
        again = connect(server, cache=cache, grader="decisions").grade(grading(PARIS))
        assert len(server.requests) == 1
        assert again.grades == first.grades
        connect(server, Local(), cache=cache, grader="model").grade(grading(PARIS))
        assert [request.path for request in server.requests][1] == "/v1/chat/completions"


@pytest.mark.parametrize("code", [404, 405])
def test_a_server_without_the_api_is_told_of_with_the_way_out(code):
    with (
        ScriptedServer(status(code, "no route")) as server,
        pytest.raises(ModelAccessError, match=rf"no Decisions API \({code}\): no route") as caught,
    ):
        connect(server, Local(), grader="decisions").grade(grading(PARIS))
    assert "--grader model" in str(caught.value)


@pytest.mark.parametrize("reply", [text("Yes."), status(500, "oops"), status(400, "no such model")])
def test_a_reply_that_is_no_decision_leaves_the_grades_to_code(reply):
    with ScriptedServer(always=reply) as server:
        graded = connect(server, Local(), grader="decisions").grade(grading(PARIS))
    assert [(g["relevant"], g["grader"]) for g in graded.grades] == [(False, "local")]
    assert server.host in graded.warnings[0]


def test_a_budget_that_is_spent_is_kept_to():
    budget = Budget(max_tokens=50)
    with ScriptedServer(decided(document_1=0.9, sufficient=0.9)) as server:
        engine = connect(server, grader="decisions").for_question(budget)
        engine.grade(grading(PARIS))
        with pytest.raises(BudgetSpent):
            engine.grade(grading(BERLIN))
        assert len(server.requests) == 1
