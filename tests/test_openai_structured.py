"""Whatever a model replies, a verdict is either read from it or there is none."""

import json

import pytest
from openai_samples import BERLIN, PARIS, ROME, connect, grades, grading, verdict
from scripted_server import ScriptedServer, call, raw, status, text

from rag.engines.protocol import Graded
from state.errors import ModelError

WHOLE = grades(True, False)
FENCED = f"Here are the grades:\n```json\n{json.dumps(WHOLE, indent=1)}\n```\nHope that helps!"
COMMAS = '{"document_1": {"relevant": true,}, "document_2": {"relevant": false,},}'
PARALLEL = [{"document_1": verdict(True)}, {"document_2": verdict(False)}]


def verdicts(graded: Graded) -> list[bool]:
    return [grade["relevant"] for grade in graded.grades]


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(call(WHOLE), id="a proper call"),
        pytest.param(call(WHOLE, name="grade"), id="another tool's name"),
        pytest.param(call(WHOLE, finish="length"), id="a whole call, then cut off"),
        pytest.param(call(PARALLEL), id="one call a document"),
        pytest.param(call(grades("Yes.", "**No**")), id="words instead of booleans"),
        pytest.param(call({**WHOLE, "document_9": verdict(True)}), id="a document too many"),
        pytest.param(call(COMMAS), id="trailing commas in the call"),
        pytest.param(text(json.dumps(WHOLE)), id="JSON as text"),
        pytest.param(text(FENCED), id="a fence and chatter"),
        pytest.param(text(f"<think>maybe {{x}}?</think>{json.dumps(WHOLE)}"), id="thinking"),
        pytest.param(text(f"maybe.</think>{json.dumps(WHOLE)}"), id="thinking, never opened"),
        pytest.param(text(COMMAS), id="trailing commas in text"),
        pytest.param(text('{"Document 1": "yes", "document 2": "No."}'), id="flat, spaced keys"),
    ],
)
def test_one_call_is_enough_where_every_verdict_can_be_read(reply):
    with ScriptedServer(reply) as server:
        graded = connect(server).grade(grading(PARIS, BERLIN))
    assert verdicts(graded) == [True, False]
    assert len(server.requests) == graded.usage["llm_calls"] == 1


UNREADABLE = [
    pytest.param(call('{"document_1": {"relevant": tr'), id="broken JSON in the call"),
    pytest.param(call({"document_1": 7, "document_2": [True]}), id="wrong types"),
    pytest.param(call({"document_1": {"relevant": 1}}), id="a number"),
    pytest.param(call({"document_1": {"relevant": None}}), id="null"),
    pytest.param(call({"document_1": verdict("partly"), "document_2": verdict("")}), id="no word"),
    pytest.param(call({}), id="an empty call"),
    pytest.param(call([grades(True, True), grades(False, False)]), id="two calls that disagree"),
    pytest.param(text("The first is relevant, the second is not."), id="prose, no call"),
    pytest.param(text("Yes"), id="one word about two documents"),
    pytest.param(text(""), id="nothing"),
    pytest.param(text(None), id="null content"),
    pytest.param(text(None, refusal="I will not."), id="a refusal"),
    pytest.param(text('{"document_1": {"relevant": true}, "docu', finish="length"), id="cut off"),
    pytest.param(text('{"document_1": {"relevant": true}, "docu'), id="cut off, unsaid"),
    pytest.param(text("<think>" + json.dumps(WHOLE)), id="thinking that never ends"),
    pytest.param(
        text('{"document_1": true, "document_1": false, "document_2": "?"}'), id="both at once"
    ),
    pytest.param(text("[" * 50_000), id="nesting"),
]


@pytest.mark.parametrize("reply", UNREADABLE)
def test_an_unreadable_reply_is_asked_for_once_more(reply):
    with ScriptedServer(reply, call(WHOLE)) as server:
        graded = connect(server).grade(grading(PARIS, BERLIN))
    assert verdicts(graded) == [True, False]
    assert len(server.requests) == graded.usage["llm_calls"] == 2


@pytest.mark.parametrize("reply", UNREADABLE)
def test_then_each_document_by_itself(reply):
    def one(body):
        relevant = "Paris" in body["messages"][1]["content"]
        return call({"document_1": verdict(relevant)})(body)

    with ScriptedServer(reply, reply, always=one) as server:
        graded = connect(server).grade(grading(PARIS, BERLIN))
    assert verdicts(graded) == [True, False]
    assert len(server.requests) == graded.usage["llm_calls"] == 4
    assert graded.sufficient


# Asked about one document alone, "Yes" is an answer; about two it is none.
NEVER = [row for row in UNREADABLE if row.id != "one word about two documents"]


@pytest.mark.parametrize("reply", NEVER)
def test_and_never_a_default_verdict(reply):
    wanted = pytest.raises(ModelError, match=r"no readable grade for \d of 2 documents")
    with ScriptedServer(always=reply) as server, wanted:
        connect(server).grade(grading(PARIS, BERLIN))
    assert len(server.requests) == 4


@pytest.mark.parametrize(("word", "value"), [("No.", False), ("**Yes**", True), ("`yes`", True)])
def test_a_word_answers_the_question_about_one_document(word, value):
    vague = text("Hard to say.")
    with ScriptedServer(vague, vague, always=text(word)) as server:
        graded = connect(server).grade(grading(PARIS, BERLIN))
    assert verdicts(graded) == [value, value]


def test_a_half_complete_reply_keeps_its_verdicts_and_asks_for_the_rest_only():
    half = call({"document_2": verdict(True), "sufficient": True})
    rest = call({"document_1": verdict(False), "document_2": verdict(False)})
    with ScriptedServer(half, rest) as server:
        graded = connect(server).grade(grading(PARIS, BERLIN, ROME))
    assert verdicts(graded) == [False, True, False]
    again = server.requests[1].prompt
    assert BERLIN["text"] not in again
    assert PARIS["text"] in again
    assert ROME["text"] in again


def test_many_chunks_go_in_groups():
    def all_relevant(body):
        names = body["tools"][0]["function"]["parameters"]["properties"]
        return call({name: verdict(True) for name in names if name.startswith("document")})(body)

    chunks = [{**PARIS, "chunk_id": str(n), "text": f"Text {n}."} for n in range(40)]
    with ScriptedServer(always=all_relevant) as server:
        graded = connect(server).grade(grading(*chunks))
    assert verdicts(graded) == [True] * 40
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "message",
    ["registry/llama does not support tools", "Invalid tool_choice type: 'object'."],
)
def test_a_server_without_function_calls_is_asked_in_plain_words_from_then_on(message):
    as_text = text(json.dumps(WHOLE))
    with ScriptedServer(status(400, message), as_text, as_text) as server:
        engine = connect(server)
        assert verdicts(engine.grade(grading(PARIS, BERLIN))) == [True, False]
        assert verdicts(engine.grade(grading(ROME, BERLIN))) == [True, False]
    assert [bool(request.tools) for request in server.requests] == [True, False, False]
    assert '"document_2": {"reason"' in server.requests[1].prompt


@pytest.mark.parametrize("body", [b"<html>Sign in</html>", b'{"choices": []}', b'{"id": 1, "cho'])
def test_a_body_that_is_no_completion_is_a_failure(body):
    with ScriptedServer(always=raw(body)) as server:
        with pytest.raises(ModelError, match="no chat completion") as caught:
            connect(server).grade(grading(PARIS))
        assert server.host in str(caught.value)


def test_what_suffices_is_only_what_is_relevant():
    with ScriptedServer(call(grades(False, False, sufficient=True))) as server:
        graded = connect(server).grade(grading(PARIS, BERLIN))
    assert not graded.sufficient


@pytest.mark.parametrize(
    ("proposed", "taken"),
    [
        ("French seat of government", "French seat of government"),
        ("", None),
        ("what is the CAPITAL of france", None),
        ({"query": "x"}, None),
        ("two\nlines", "two lines"),
    ],
)
def test_a_better_query_is_taken_if_it_is_new(proposed, taken):
    with ScriptedServer(call(grades(False, sufficient=False, better_query=proposed))) as server:
        assert connect(server).grade(grading(PARIS)).better_query == taken


def test_no_better_query_is_asked_for_when_no_loop_is_left():
    with ScriptedServer(call(grades(True))) as server:
        connect(server).grade(grading(PARIS, may_rewrite=False))
    properties = server.requests[0].body["tools"][0]["function"]["parameters"]["properties"]
    assert set(properties) == {"document_1", "sufficient"}


def test_where_sufficiency_is_missing_it_follows_from_the_grades():
    reply = {"document_1": verdict(True)}
    with ScriptedServer(call(reply)) as server:
        assert connect(server).grade(grading(PARIS)).sufficient
