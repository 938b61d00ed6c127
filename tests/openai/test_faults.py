"""Every way an endpoint fails becomes one ModelError line: host, model, mending step, in time."""

import socket
from email.utils import formatdate

import pytest
from in_time import within
from openai_samples import KEY, PARIS, answering, connect, grading
from scripted_server import ScriptedServer, Sent, call, hang, raw, reset, status, stream, text

from state.background import Cancellation, in_background
from state.errors import ModelError, SettingsError

SPENT = b'{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}'
GOOD = call({"document_1": {"reason": "", "holds": True}})


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


def failure_of(server, **changed):
    with pytest.raises(ModelError) as caught:
        connect(server, **changed).grade(grading(PARIS))
    line = str(caught.value)
    assert "\n" not in line
    assert "gpt-4o-mini" in line
    assert server.host in line
    assert caught.value.hint
    assert KEY not in line
    return line


@pytest.mark.parametrize(
    ("reply", "words", "requests"),
    [
        (status(401, f"Incorrect API key provided: {KEY}"), "refused the key (401)", 1),
        (status(403, "No access"), "not open to this key (403): No access", 1),
        (status(404, "model 'x' not found"), "not found (404): model 'x' not found", 1),
        (status(400, "bad parameter"), "rejected the request (400): bad parameter", 5),
        (status(400, "maximum context length is 8192 tokens"), "Lower context_tokens", 1),
        (status(422, "unknown field"), "rejected the request (422): unknown field", 5),
        (status(307, "", {"Location": "http://127.0.0.1:9/v1"}), "redirected", 1),
        (status(429, "slow down", {"Retry-After": "0"}), "rate of requests (429): slow down", 5),
        (status(429, "", {"Retry-After": "600"}), "Try again in 600 s", 1),
        (status(429, "", {"Retry-After": "Sun, 06 Nov 2094 08:49:37 GMT"}), "limits the rate", 1),
        (status(500, "oops"), "failed (500): oops", 7),
        (status(503, "loading model"), "failed (503): loading model", 5),
        (raw(b"<html><body>Login</body></html>", "text/html"), "no chat completion", 1),
        (raw(b'{"object": "chat.completion", "choices": []}'), "no chat completion", 1),
        (raw(b'{"choices": [{'), "no chat completion", 1),
        (raw(b'{"choices": null}'), "no chat completion", 1),
        (raw(b"\xff\xfe\x00"), "no chat completion", 1),
        (raw(b"<html>busy</html>", "text/html", 502), "failed (502)", 5),
        (raw(SPENT, code=429), "(429): You exceeded your quota", 5),
        (reset(), "the connection broke off", 5),
    ],
)
def test_each_fault_is_one_line_after_bounded_retries(reply, words, requests):
    with ScriptedServer(always=reply) as server:
        assert words in failure_of(server, max_retries=4)
        assert len(server.requests) == requests


@pytest.mark.parametrize("key", ["x", "none", "EMPTY", "no-key"])
def test_a_key_that_is_no_secret_garbles_no_message(key):
    said = f"An EMPTY context: none of the extra fields may be x, {key}"
    with ScriptedServer(always=status(400, said)) as server:
        assert said in failure_of(server, api_key=key)


def test_a_server_that_hangs_is_left_when_the_time_is_over_and_the_variable_is_named():
    with ScriptedServer(always=hang()) as server, within(20):
        line = failure_of(server, max_retries=5, request_timeout=0.3)
    assert "did not reply in time (0.3 s)" in line
    assert "CRAG_REQUEST_TIMEOUT" in line


def test_a_model_on_this_machine_is_given_longer():
    here, there = "http://localhost:11434/v1", "https://gateway.example/v1"
    seconds = [
        connect(None, base_url=url, request_timeout=chosen).chat.seconds
        for chosen, url in [(None, here), (None, there), (7.0, here)]
    ]
    assert seconds == [300.0, 60.0, 7.0]


def test_a_model_is_asked_no_more_once_nobody_waits_for_it():
    cancel = Cancellation()

    def left(body):
        cancel.cancel()
        return status(503)(body)

    def ask():
        yield failure_of(server, max_retries=5)

    with ScriptedServer(left) as server:
        assert list(in_background(ask, cancel)) == []
        assert len(server.requests) == 1


ODD = ("0", "0.1", formatdate(0), "soon", f"1 Jan {10**30} 0:0:0 GMT")
WAITS = [status(429, "", {"Retry-After": wait}) for wait in ODD]


@pytest.mark.parametrize("fault", [*WAITS, status(500), reset()])
def test_what_passes_is_retried_and_not_seen(fault):
    with ScriptedServer(fault, fault, GOOD) as server:
        graded = connect(server, max_retries=2).grade(grading(PARIS))
    assert graded.grades[0]["relevant"]
    assert graded.warnings == ()


def test_an_unknown_host_is_named_and_looked_up_once(monkeypatch):
    asked = []

    def unknown(host, *_args, **_options):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")
    engine = connect(None, base_url="http://model.invalid/v1", max_retries=5)
    with pytest.raises(ModelError, match=r"model\.invalid.*not known"):
        engine.grade(grading(PARIS))
    assert asked.count("model.invalid") == 1


def test_a_dead_proxy_is_thought_of(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    engine = connect(None, base_url="http://model.invalid/v1")
    with pytest.raises(ModelError, match=r"refused.*HTTP_PROXY"):
        engine.grade(grading(PARIS))


def test_neither_a_proxy_nor_the_library_s_own_variables_say_where_to_send(monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "OPENAI_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/v1")
    with ScriptedServer(GOOD) as server:
        assert connect(server).grade(grading(PARIS)).grades[0]["relevant"]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (stream(ending="cut"), "broke off"),
        (stream(ending="close"), "broke off"),
        (stream(ending="done", after=[b'{"error": {"message": "overloaded"}}']), "overloaded"),
        (raw(b'{"error": {"message": "no provider"}}'), "no provider"),
        (stream(ending="done", after=[b"{garbage"]), "no chat completion"),
        (lambda _: Sent(events=[b"[DONE]"]), "no chat completion"),
        (text("", finish="stop"), "an empty answer"),
        (text(None, refusal="I'm sorry, Dave."), "an empty answer"),
        (text("<think>Hm, hm.", finish="length"), "ran out of room"),
        (text("<think>Hm.</think>", finish="stop"), "thinking only"),
        (text("", finish="content_filter"), "content filter"),
        (hang(), "did not reply in time"),
        (stream(ending="stall"), "did not reply in time"),
    ],
)
def test_a_stream_without_an_answer_is_a_failure_not_an_answer(reply, words):
    shown: list[str] = []
    seconds = 0.3 if "in time" in words else 60
    with ScriptedServer(always=reply) as server, pytest.raises(ModelError) as caught:
        connect(server, request_timeout=seconds).generate(answering(), shown.append)
    assert words in str(caught.value)
    assert server.host in str(caught.value)
    assert shown == []


def test_foreign_words_are_shown_as_one_short_printable_line():
    hostile = f"\x1b[31mred\x1b[0m\r\n{KEY} sk-other1234567890 " + "x" * 5000
    with ScriptedServer(always=status(400, hostile)) as server:
        line = failure_of(server)
    assert line.isprintable()
    assert len(line) < 500
    assert "sk-other" not in line


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:11434/v1", "no http"),
        ("ftp://host/v1", "no http"),
        ("http://", "no http"),
        ("http://user:secret@host/v1", "user name or password"),
    ],
)
def test_an_unusable_base_url_is_a_setting_to_mend(url, words):
    with pytest.raises(SettingsError, match=words) as caught:
        connect(None, base_url=url)
    assert "secret" not in str(caught.value)
