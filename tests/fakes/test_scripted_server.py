"""The scripted server is a fake with tests of its own: what it sends is what was scripted."""

import json
from http.client import HTTPConnection, IncompleteRead, RemoteDisconnected

import pytest
from scripted_server import ScriptedServer, reset, status, stream, text


def post(server, body, path="/v1/chat/completions"):
    connection = HTTPConnection(server.host, timeout=60)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    return connection.getresponse()


def events(raw):
    return [line[6:] for line in raw.decode().split("\n\n") if line]


def test_plain_and_streamed_form_of_one_reply():
    with ScriptedServer(always=text("It is so.", usage=(3, 4))) as server:
        plain = json.loads(post(server, {"messages": []}).read())
        options = {"stream": True, "stream_options": {"include_usage": True}}
        streamed = events(post(server, {"messages": [], **options}).read())
    assert plain["choices"][0]["message"]["content"] == "It is so."
    assert plain["usage"]["total_tokens"] == 7
    assert streamed[-1] == "[DONE]"
    chunks = [json.loads(event) for event in streamed[:-1]]
    deltas = [c["choices"][0]["delta"].get("content") or "" for c in chunks if c["choices"]]
    assert "".join(deltas) == "It is so."
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert chunks[-1]["usage"]["prompt_tokens"] == 3


def test_replies_in_order_then_418_and_requests_recorded():
    with ScriptedServer(status(429, "slow", {"Retry-After": "1"})) as server:
        first = post(server, {"messages": [], "n": 1})
        second = post(server, {"messages": [], "n": 2})
        assert (first.status, first.headers["Retry-After"]) == (429, "1")
        assert second.status == 418
    assert [request.body["n"] for request in server.requests] == [1, 2]


def test_a_chunked_stream_that_is_cut_and_a_body_that_is_closed():
    with ScriptedServer(stream("Half", ending="cut"), stream("Half", ending="close")) as server:
        with pytest.raises(IncompleteRead):
            post(server, {"stream": True}).read()
        assert "Half" in post(server, {"stream": True}).read().decode()


def test_a_reset_is_no_reply():
    with ScriptedServer(reset()) as server, pytest.raises((ConnectionError, RemoteDisconnected)):
        post(server, {})
