"""Ways in which servers and models break: none loses a question, none outlasts its time.

Each is a whole question over real HTTP, graded and answered by a model. It ends in an answer
or in a refusal; test_structured.py has what replies and refusals of a form are read from,
test_faults.py what ends in one line that says what to mend.
"""

import json
import re
import time

import pytest
from ingest_runs import home_of
from openai_samples import settings_for, verdict
from scripted_server import ScriptedServer, hang, shape_asked, status, stream, text

from rag.session import open_session

QUESTION = "What is the capital of France?"
SECONDS = 30.0
ANSWER = "The capital of France is Paris [1]."


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    paris = "# Paris\n\nThe capital of France is Paris. It has towers.\n"
    rome = "# Rome\n\nRome is the capital of Italy. It has hills.\n"
    return home_of(tmp_path_factory.mktemp("broken"), {"paris.md": paris, "rome.md": rome})


def right(body):
    """The grades that a good model gives, as JSON."""
    prompt = body["messages"][1]["content"]
    shown = re.findall(r"<document> (document_\d+)[^\n]*\n(.*?)</document>", prompt, re.DOTALL)
    return {name: verdict("France is Paris" in told) for name, told in shown}


def graded(body):
    return text(json.dumps(right(body)))(body)


def plain(body):
    return shape_asked(body) is None and "document_1" not in body["messages"][1]["content"]


def no_stream_options(body):
    """A server that does not take requests with such a parameter."""
    if "stream_options" in body:
        return status(400, "Extra inputs are not permitted")(body)
    return text(ANSWER)(body) if plain(body) else graded(body)


def grading_hangs(body):
    return (text(ANSWER) if plain(body) else hang())(body)


def answers(reply):
    """A server whose answers are broken, and whose grades are not."""
    return lambda body: (reply if plain(body) else graded)(body)


ANSWERED = {
    "400: stream_options": no_stream_options,
    "grading hangs": grading_hangs,
}


def asked(reply, home, kind, **changed):
    """The answer to the question and how long it took; a model of its own knows no grades."""
    with ScriptedServer(always=reply) as server:
        settings = settings_for(
            server,
            home=home,
            model=kind.replace(" ", "-"),
            grader="model",
            max_retries=2,
            **changed,
        )
        began = time.monotonic()
        with open_session(settings) as session:
            answers = [e["answer"] for e in session.stream(QUESTION) if e["event"] == "answer"]
        assert time.monotonic() - began < SECONDS
    (answer,) = answers
    return answer


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


@pytest.mark.parametrize("kind", ANSWERED)
def test_a_question_is_answered_whatever_the_server_does(kind, home):
    hangs = {"request_timeout": 1.0} if "hangs" in kind else {}
    answer = asked(ANSWERED[kind], home, kind, **hangs)
    assert "Paris" in answer["answer"]
    assert answer["status"] in ("answered", "partial")
    assert len(answer["warnings"]) <= 1
    assert answer["usage"]["llm_calls"] <= 3


def test_an_answer_that_broke_off_is_shown_as_far_as_it_goes(home):
    answer = asked(answers(stream(ANSWER, " It is", ending="cut")), home, "broke off")
    assert answer["status"] == "partial"
    assert "Paris" in answer["answer"]
