"""What becomes of a model's sentences over a whole turn, with a model over real HTTP."""

import json
import re

import pytest
from crag import crag
from openai_samples import KEY, asked, verdict
from scripted_server import ScriptedServer, call, shape_asked, status, text

FILES = {"bridge.md": "The Orrin Bridge is 164 metres long. It was opened in 1887 by Ada Lorne.\n"}
QUESTION = "How long is the Orrin Bridge?"


def model(*drafts, supported=True):
    """Finds everything relevant, writes one draft after the other and judges claims alike."""
    left = list(drafts)

    def reply(body):
        prompt = body["messages"][1]["content"]
        shape = shape_asked(body)
        if shape is None:
            return text(left.pop(0))(body)
        if "claim_1" in shape[1]["properties"]:
            claims = {name: {"reason": "r", "holds": supported} for name in shape[1]["properties"]}
            return call(claims)(body)
        rows = {name: verdict(True) for name in re.findall(r"document_\d+", prompt)}
        return call(rows)(body)

    return reply


def turn(home, *drafts, supported=True, **changed):
    """The answer, and what was sent to have a draft."""
    reply = model(*drafts, supported=supported)
    answer, requests = asked(home, reply, QUESTION, **{"grader": "model", **changed})
    bodies = [request.body for request in requests]
    return answer, [body["messages"] for body in bodies if shape_asked(body) is None]


LONG = {"text": "It is 164 metres long.", "quotes": [{"document": 1, "quote": "164 metres long"}]}
OPENED = {"text": "It was opened in 1878.", "quotes": [{"document": 1, "quote": "opened in 1887"}]}
MADE_UP = {"text": "It is loved.", "quotes": [{"document": 1, "quote": "everybody loves it"}]}


def reply_of(*parts, held=True, missing=()):
    return json.dumps({"parts": parts, "held": held, "missing": [*missing]})


def test_a_quote_that_is_not_found_goes_back_once_with_the_whole_draft(home):
    answer, sent = turn(home, reply_of(LONG, MADE_UP), reply_of(LONG))
    first, told = (messages[1]["content"] for messages in sent)
    assert "164 metres long" in first
    assert "everybody loves it" in told
    assert "no quote of it was found" in told
    assert (answer["answer"], answer["status"]) == ("It is 164 metres long [1].", "answered")
    assert answer["generation_retries"] == 1


def test_the_better_of_two_drafts_is_kept(home):
    answer, _ = turn(home, reply_of(LONG, MADE_UP), reply_of(MADE_UP))
    assert answer["answer"] == "It is 164 metres long [1]. It is loved (no quote found)."
    assert answer["status"] == "partial"


def test_a_model_that_says_that_it_is_not_held_is_believed(home):
    refused = reply_of({"text": "Nothing is said of it.", "quotes": []}, held=False)
    answer, sent = turn(home, refused, grader="local")
    assert (answer["status"], answer["citations"], len(sent)) == ("abstained", [], 1)
    assert answer["answer"].startswith(f"The model found no answer to “{QUESTION}”.")


def test_an_answer_of_which_nothing_is_left_is_no_refusal_of_the_model(home):
    answer, _ = turn(home, reply_of(OPENED), reply_of(OPENED))
    assert (answer["status"], answer["dropped"]) == ("abstained", [OPENED["text"]])
    assert [claim["verdict"] for claim in answer["claims"]] == ["contradicted"]
    assert answer["answer"].startswith(f"What the model answers to “{QUESTION}” is left out: ")


def test_no_rule_of_words_refuses_for_a_model(home):
    def say(body):
        other = call({"queries": ["bridges by name"]})
        return (other if "Tried:" in body["messages"][1]["content"] else text(reply_of(LONG)))(body)

    answer, _ = asked(home, say, "Comment s'appelle la reine des abeilles ?", grader="auto")
    assert answer["status"] == "answered"
    assert answer["usage"]["llm_calls"] <= 4


@pytest.mark.parametrize(("supported", "verdict_"), [(True, "verified"), (False, "unverified")])
def test_the_model_is_asked_once_about_what_is_in_doubt(home, supported, verdict_):
    doubtful = {**LONG, "text": "By Telford, it is 164 metres long."}
    answer, _ = turn(home, reply_of(LONG, doubtful), supported=supported, verify="model")
    assert [claim["verdict"] for claim in answer["claims"]] == ["verified", verdict_]
    assert answer["dropped"] == [doubtful["text"]] * (not supported)
    assert answer["usage"]["by_node"]["check_answer"]["llm_calls"] == 1


def test_an_answer_stands_where_the_model_fails_as_it_is_asked_about_it(home):
    good = model(reply_of({**LONG, "text": "By Telford, it is 164 metres long."}))

    def reply(body):
        shape = shape_asked(body)
        fails = shape is not None and "claim_1" in shape[1]["properties"]
        return (status(503, "loading") if fails else good)(body)

    answer, _ = asked(home, reply, QUESTION, grader="model", verify="model")
    assert answer["claims"][0]["verdict"] == "unverified"
    assert "Telford" in answer["answer"]
    assert "failed (503)" in answer["warnings"][0]


LEFT_OUT = "left out: “It was opened in 1878.” (its quote says 1887, not 1878)"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (reply_of(LONG, OPENED), LEFT_OUT),
        (reply_of(LONG, missing=["who paid"]), "not found in the documents: who paid"),
    ],
)
def test_what_is_taken_out_or_missing_is_told_beside_the_answer(home, reply, told):
    with ScriptedServer(always=model(reply, reply)) as server:
        openai = {"CRAG_ENGINE": "openai", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}
        ran = crag(home, "ask", QUESTION, **openai)
    assert ran.stdout.startswith("It is 164 metres long [1].\n")
    assert told in ran.stderr
    assert "who paid" not in ran.stdout
