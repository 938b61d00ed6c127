"""Answers arrive as they are written, and one that did not come to its end is never complete."""

from codecs import BOM_UTF8
from threading import Event

import pytest
from bad_servers import MISDEEDS, bad_server
from in_time import within
from openai_samples import BERLIN, PARIS, answering, connect, said, settings_for
from scripted_server import ScriptedServer, Sent, call, chunk, status, stream, text

from rag.budget import Budget, BudgetSpent, record_calls
from state.errors import ModelError

PARTS = {
    "parts": [{"text": "Paris.", "quotes": [{"document": 1, "quote": "Paris"}]}],
    "held": True,
    "missing": [],
}


def generate(server, *, budget=None, **changed):
    shown: list[str] = []
    engine = connect(server, **changed)
    if budget is not None:
        engine = engine.for_question(budget)
    return engine.generate(answering(PARIS, BERLIN), shown.append), shown


def test_each_piece_is_passed_on_before_the_next_is_sent():
    shown: list[str] = []
    seen = Event()

    def pieces():
        yield chunk({"role": "assistant", "content": ""})
        yield chunk({"content": '{"parts": [{"text": "Paris'})
        seen.wait(60)  # the server goes on only when the first piece has reached the person
        rest = '.", "quotes": [{"document": 1, "quote": "Paris"}]}], "held": true, "missing": []}'
        yield chunk({"content": rest}, "stop")

    def emit(piece):
        shown.append(piece)
        seen.set()

    with ScriptedServer(lambda _: Sent(events=pieces())) as server:
        result = connect(server).generate(answering(), emit)
        assert seen.is_set()
    assert (said(result), "".join(shown)) == ("Paris.", "Paris.")
    assert result.complete


def heedless(body):
    whole = call(PARTS)({**body, "stream": False}).body
    return Sent(body=BOM_UTF8 + whole.replace(b"{", b'{"error": null, ', 1))


def refusing(body):
    needed = "Your organization must be verified to stream this model."
    return (status(400, needed) if body.get("stream") else call(PARTS))(body)


@pytest.mark.parametrize(
    ("reply", "streamed"),
    [(heedless, [True, True]), (refusing, [*[True] * 4, False, False])],
)
def test_a_server_that_does_not_stream_is_read_whole(reply, streamed, tmp_path):
    """One that says so is asked for that from then on."""
    with ScriptedServer(always=reply) as server:
        for _ in range(2):
            result, shown = generate(server, home=tmp_path)
            assert (said(result), "".join(shown), result.complete) == ("Paris.", "Paris.", True)
    assert [bool(each.body.get("stream")) for each in server.requests] == streamed


def test_usage_that_is_not_sent_is_counted_and_marked():
    with ScriptedServer(text("Paris [1].", usage=None)) as server, record_calls() as calls:
        generate(server)
    (call,) = calls
    assert call["estimated"] is True
    assert call["output_tokens"] == 4
    assert 100 < call["input_tokens"] < 600


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (stream("Paris is ", "the", ending="cut"), "broke off"),
        (stream("Paris is ", "the", ending="close"), "broke off"),
        (stream("Paris is ", "the", ending="done", after=[b"{garbage"]), "broke off"),
        (stream("Paris is ", "the", ending="done", after=[b'{"error": {}}']), "broke off"),
        (stream("Paris is ", "the", ending="done"), "broke off"),
        (stream("Paris is ", "the", ending="stall"), "broke off"),
        (text("Paris is the", finish="length"), "ran out of room"),
        (text("Paris is the", finish="content_filter"), "content filter"),
        (text("Paris is the", finish="something_new"), "broke off"),
    ],
)
def test_a_reply_cut_short_is_incomplete_and_says_why(reply, words):
    with ScriptedServer(reply) as server:
        result, shown = generate(server, request_timeout=2, max_retries=3)
        assert len(server.requests) == 1
    assert (said(result), "".join(shown)) == ("Paris is the", "Paris is the")
    assert not result.complete
    assert words in result.warnings[0]


def test_a_model_that_says_nothing_is_asked_again():
    with ScriptedServer(text(""), text("Paris [1].")) as server:
        result, shown = generate(server)
    assert (said(result), "".join(shown)) == ("Paris.", "Paris [1].")
    assert result.complete
    assert result.warnings == ()


@pytest.mark.parametrize("reply", ["I cannot answer this.", "i Cannot answer"])
def test_a_reply_that_the_documents_hold_no_answer_is_an_empty_draft_and_asked_for_once(reply):
    with ScriptedServer(always=text(reply)) as server:
        result, shown = generate(server)
        assert len(server.requests) == 1
    assert (result.parts, result.complete, shown) == ((), True, [])


@pytest.mark.parametrize("before", ["", "\ufeff", "<think>\nIs it [9]?\n</think>\n\n"])
def test_neither_thinking_nor_a_mark_nor_what_only_begins_like_a_refusal_hides_an_answer(before):
    reply = "I cannot answer for Germany, but Paris is the capital of France [1]."
    with ScriptedServer(text(before + reply)) as server:
        result, shown = generate(server)
    assert (said(result), "".join(shown)) == (reply.replace(" [1]", ""), reply)


def test_a_refusal_cut_short_is_no_abstention():
    with ScriptedServer(always=text("I cannot answer", finish="length")) as server:
        with pytest.raises(ModelError, match="ran out of room"):
            generate(server)
        assert len(server.requests) == 2


def test_an_endless_reply_is_stopped():
    endless = (chunk({"content": "word " * 100}) for _ in range(10**9))
    with ScriptedServer(lambda _: Sent(events=endless)) as server:
        result, shown = generate(server)
    assert not result.complete
    assert sum(map(len, shown)) < 100_000


def test_the_time_budget_ends_a_stream_with_what_there_is():
    clock = iter(range(1000))
    budget = Budget(deadline=20.0, clock=lambda: float(next(clock)))
    endless = (chunk({"content": "word "}) for _ in range(10**6))
    with ScriptedServer(lambda _: Sent(events=endless)) as server:
        result, _ = generate(server, budget=budget)
    assert said(result).startswith("word word")
    assert not result.complete
    assert "--timeout" in result.warnings[0]


def test_the_time_budget_ends_a_stream_that_only_drips():
    with ScriptedServer(text("Paris [1].")) as server:
        generate(server)  # what is imported for a first call takes longer than the budget
    with bad_server(MISDEEDS["drips"]) as port:
        budget = Budget.start(settings_for(timeout=1.0))
        # It drips ten times longer.
        with within(8), pytest.raises(BudgetSpent, match="--timeout"):
            generate(None, budget=budget, base_url=f"http://127.0.0.1:{port}/v1")


def test_a_budget_is_charged_and_caps_what_a_reply_may_take():
    budget = Budget(max_tokens=1000)
    with ScriptedServer(text("Paris [1].", usage=(200, 20))) as server:
        generate(server, budget=budget)
    assert budget.tokens == 220
    assert 0 < server.requests[0].body["max_tokens"] < 900
