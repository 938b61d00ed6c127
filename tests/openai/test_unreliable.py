"""A fifth of all requests fails; no question is lost, and no answer is another question's."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import count

import pytest
from openai_samples import chunk_of, connect, document_of, grading, said, verdict
from scripted_server import ScriptedServer, call, shape_asked, status, text

from rag.budget import recorded, with_calls
from rag.engines.protocol import GenerateRequest
from state.answer import NO_USAGE

FAULTS = [status(429, "slow down", {"Retry-After": "0"}), status(500, "oops")]


def unreliable(share):
    """Answers each question by its own number, when it does not fail."""
    turns = count()

    def reply(body):
        draw = int.from_bytes(sha256(b"seed %d" % next(turns)).digest()[:4], "big")
        if draw / 2**32 < share:
            return FAULTS[draw % 2](body)
        number = re.findall(r"number (\d+)", json.dumps(body))[-1]
        grade = {"document_1": verdict(int(number) % 2 == 0)}
        if shape_asked(body):
            return call(grade)(body)
        if "You grade" in body["messages"][0]["content"]:  # after a 500 to another form
            return text(json.dumps(grade))(body)
        return text(f"It is {number} [1].")(body)

    return reply


def ask(engine, number):
    """The grades and the answer, and the calls that were made for them."""
    chunk = chunk_of(f"c{number}", f"The answer to number {number} is {number}.")
    question = f"What about number {number}"
    request = GenerateRequest(question, (), (), (), context=[document_of(1, chunk)])
    with recorded() as calls:
        graded = engine.grade(grading(chunk, question=question, query=question))
        answer = engine.generate(request, lambda _: None)
    return graded, answer, calls


@pytest.mark.parametrize(
    ("questions", "at_once"), [(20, 4), pytest.param(200, 1, marks=pytest.mark.slow)]
)
def test_nothing_is_lost_or_mixed_up_at_one_failure_in_five(monkeypatch, questions, at_once):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    with ScriptedServer(always=unreliable(0.2)) as server:
        engine = connect(server, max_retries=5)
        with ThreadPoolExecutor(at_once) as pool:
            results = list(pool.map(lambda n: ask(engine, n), range(questions)))
    for number, (graded, answer, calls) in enumerate(results):
        assert graded.grades[0]["relevant"] is (number % 2 == 0)
        assert (said(answer), answer.complete) == (f"It is {number}.", True)
        assert graded.warnings == answer.warnings == ()
        assert with_calls(NO_USAGE, "both", calls)["llm_calls"] == 2
    assert len(server.requests) > questions * 2
