"""A model that finds no answer in what it was given is given other passages, once."""

import json
import re

import pytest
from openai_samples import asked, settings_for
from scripted_server import ScriptedServer, call, status, text

from rag.session import open_session

NO = "I cannot answer this from the documents."
QUESTION = "How old must a ferry captain be?"

FILES = {
    f"ferry{n}.md": f"# Ferry {n}\n\nA captain of ferry {n} is old enough to steer ferry {n}.\n"
    for n in range(40)
} | {
    "skippers.md": "# Skippers\n\nWho steers a boat has turned 21.\n",
    "masters.md": "# Masters\n\nA master mariner has a licence.\n",
}


def model(queries=("skipper boat turned", "master mariner licence")):
    def reply(body):
        prompt = body["messages"][1]["content"]
        if "Tried:" in prompt:
            return call({"queries": list(queries)})(body)
        number = re.search(r"\[(\d+)\] Skippers", prompt)
        return text(f"Who steers a boat has turned 21 [{number[1]}]." if number else NO)(body)

    return reply


def test_two_other_queries_are_searched_once_and_what_they_found_is_given(home):
    answer, requests = asked(home, model(), QUESTION)
    assert answer["status"] == "answered"
    assert "21" in answer["answer"]
    assert answer["usage"]["llm_calls"] == len(requests) <= 4
    assert answer["loops"][-1]["query"] == "skipper boat turned · master mariner licence"
    assert "[Skippers" not in requests[0].prompt
    assert "Masters" in requests[-1].prompt
    tried = next(request.prompt for request in requests if "Tried:" in request.prompt)
    assert "Ferry" in tried
    assert "No passage was read yet" not in tried


@pytest.mark.parametrize("refuses", [False, True])
def test_where_the_passages_are_weak_other_queries_come_before_the_one_reply(home, refuses):
    def reply(body):
        tried = "Tried:" in body["messages"][1]["content"]
        return (text(NO) if refuses and not tried else model())(body)

    answer, requests = asked(home, reply, "How much experience must helmsmen prove?")
    assert answer["status"] == ("abstained" if refuses else "answered")
    assert ["Tried:" in request.prompt for request in requests] == [True, False]
    assert "No passage was read yet" in requests[0].prompt
    assert "Masters" in requests[1].prompt


def test_a_refusal_that_is_followed_by_another_search_is_withdrawn(home):
    with (
        ScriptedServer(always=model()) as server,
        open_session(settings_for(server, home=home)) as session,
    ):
        told = [event["event"] for event in session.stream(QUESTION)]
    assert told.index("draft_rejected") < told.index("rewritten")


@pytest.mark.parametrize("queries", [("ferry lake steer",), (), (QUESTION,)])
def test_and_where_that_finds_no_answer_the_refusal_stands(home, queries):
    answer, requests = asked(home, model(queries), QUESTION)
    assert answer["status"] == "abstained"
    assert len(requests) <= 4


LACKS = "from which year on one may steer"


def half(body):
    """A model that answers beside the question until it is given what holds the answer."""
    prompt = body["messages"][1]["content"]
    if "Tried:" in prompt:
        return model()(body)
    number = re.search(r"\[(\d+)\] Skippers", prompt)
    held = {"document": int(number[1]), "quote": "has turned 21"} if number else None
    beside = {"document": 1, "quote": "old enough to steer"}
    text_of = "Who steers a boat has turned 21." if held else "A captain is old enough to steer."
    part = {"text": text_of, "quotes": [held or beside]}
    missing = [] if held else [LACKS]
    return text(json.dumps({"parts": [part], "held": True, "missing": missing}))(body)


def test_what_a_reply_lacks_is_searched_for_once(home):
    answer, requests = asked(home, half, QUESTION)
    assert (answer["status"], answer["missing"]) == ("answered", [])
    assert "21" in answer["answer"]
    assert len(requests) == 3
    assert LACKS in requests[1].prompt


@pytest.mark.parametrize(
    ("query", "spent", "changed", "warned"),
    [
        ("ferry lake steer", 100, {}, ""),
        ("skipper boat turned", 49_900, {"grader": "model", "max_tokens": 50_000}, "--max-tokens"),
        ("skipper boat turned", 100, {}, "failed (503)"),
    ],
    ids=["nothing new is found", "nothing is left to spend", "the model fails"],
)
def test_an_answer_stands_that_is_not_bettered(home, query, spent, changed, warned):
    def reply(body):
        if "You grade retrieved documents" in body["messages"][0]["content"]:
            return call({f"document_{n}": True for n in range(1, 21)})(body)
        prompt = body["messages"][1]["content"]
        if "Tried:" in prompt:
            return call({"queries": [query]}, usage=(spent, 10))(body)
        return (status(503, "loading") if re.search(r"\[\d+\] Skippers", prompt) else half)(body)

    answer, requests = asked(home, reply, QUESTION, **changed)
    assert (answer["status"], answer["missing"]) == ("partial", [LACKS])
    assert answer["citations"][0]["quote"] == "old enough to steer"
    assert warned in "\n".join(answer["warnings"])
    assert bool(warned) is bool(answer["warnings"])
    assert len(requests) == 3


def test_an_answer_at_hand_costs_one_call_whatever_code_makes_of_the_passages(home):
    answer, requests = asked(home, text("Old enough to steer [1]."), QUESTION)
    assert (len(requests), answer["loop_count"]) == (1, 0)


def replied(home, said, *quotes, held=True, missing=()):
    """The answer of a model that says this with these quotes of the first document."""
    part = {"text": said, "quotes": [{"document": 1, "quote": quote} for quote in quotes]}
    reply = text(json.dumps({"parts": [part], "held": held, "missing": list(missing)}))
    return asked(home, reply, QUESTION, max_loops=0)[0]


@pytest.mark.parametrize("quote", ["is old enough to steer", "is old enough to fly"])
def test_a_refusal_shows_what_the_model_says_comes_nearest(home, quote):
    text_of = "They only say that a captain is old enough to {steer}."
    answer = replied(home, text_of, quote, held=False)
    assert (answer["status"], answer["citations"]) == ("abstained", [])
    stands = "steer" in quote
    assert (text_of.replace("They", "The documents") in answer["answer"]) is stands
    assert (len(answer["nearest"]) == 1) is stands
    assert (quote == answer["nearest"][0]["shown"]) is stands


@pytest.mark.parametrize(
    ("said", "is_shown"),
    [
        ("They only speak of the captain of ferry 7.", True),
        ("They only say that a pilot must be 34.", False),
        ("They only speak of the Meridian Line.", False),
    ],
)
def test_a_refusal_names_nothing_that_is_in_no_document(home, said, is_shown):
    answer = replied(home, said, held=False)
    assert answer["status"] == "abstained"
    assert (said.replace("They", "The documents") in answer["answer"]) is is_shown


LLAMA = {"/props": {"default_generation_settings": {"n_ctx": 8_192}}}
CHOSEN = {"context_tokens": 6_000}


@pytest.mark.parametrize(
    ("pages", "chosen", "calls"), [(LLAMA, {}, 1), (LLAMA, CHOSEN, 3), ({}, {}, 3)]
)
def test_a_slow_server_of_this_machine_is_asked_once(home, pages, chosen, calls, monkeypatch):
    monkeypatch.setattr("rag.engines.openai.server.SLOW", 10.0**9)
    monkeypatch.setattr("rag.engines.openai.server._TOLD", 1)
    answer, requests = asked(home, half, QUESTION, pages, **chosen)
    assert answer["status"] == ("partial" if calls == 1 else "answered")
    assert len(requests) == calls


EMPTY = '{"parts": [], "held": false, "missing": []}'
QUOTED = '{"parts": [{"text": "At 21.", "quotes": [{"document": 1, "quote": "Who steers"}]}]}'
DOTS = '{"parts": [{"text": "…", "quotes": [{"document": 1, "quote": "…"}]}], "held": true}'


@pytest.mark.parametrize(("first", "asked_again"), [(EMPTY, True), (DOTS, True), (QUOTED, False)])
def test_an_empty_reply_is_a_refusal_only_of_a_model_that_can_quote(home, first, asked_again):
    replies = iter([first, EMPTY])

    def reply(body):
        plain = "response_format" not in body
        return text("A master mariner has a licence [1]." if plain else next(replies, EMPTY))(body)

    with ScriptedServer(always=reply) as server:
        settings = settings_for(server, home=home, max_loops=0)
        with open_session(settings) as session:
            answers = [session.ask("What has a master mariner?") for _ in range(2)]
        plain = ["response_format" not in request.body for request in server.requests]
    assert any(plain) is asked_again
    assert (answers[1]["status"] == "abstained") is not asked_again


def test_a_refusal_that_fills_the_form_is_one(home):
    said = "The documents do not say how old a captain must be."
    answer = replied(home, said, said)
    assert (answer["status"], answer["usage"]["llm_calls"]) == ("abstained", 1)


@pytest.mark.parametrize("missing", [(), ("how old one must be",)])
@pytest.mark.parametrize(
    "said",
    [
        "There is no information about that in the documents.",
        "Not stated in the documents.",
        "Not stated.",
        "It is not mentioned in any of the passages.",
        "That's not specified.",
        "The documents give no age.",
        "I don't know.",
        "Das steht nicht in den Dokumenten.",
        "Die Dokumente enthalten dazu keine Angaben.",
        "Les documents ne le précisent pas.",
    ],
)
def test_a_part_that_only_says_that_there_is_no_answer_is_a_refusal(home, said, missing):
    answer = replied(home, said, missing=missing)
    assert (answer["status"], answer["citations"]) == ("abstained", [])


@pytest.mark.parametrize(
    "said",
    [
        "No, a captain need not be old.",
        "The documents say that a captain is not young.",
        "A captain need not be 21, as said in the documents.",
        "There is no age limit: in the documents a captain is old enough.",
    ],
)
def test_a_denial_that_answers_is_none(home, said):
    assert replied(home, said, missing=["how old one must be"])["status"] == "partial"
