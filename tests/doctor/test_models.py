"""`crag doctor` on the servers people run: what each offers, takes and holds, and the mending."""

import json

import pytest
from openai_samples import settings_for
from scripted_server import ScriptedServer, call, status, text

from rag.doctor.models import check_models
from rag.embed.builtin import BuiltinEmbedder
from rag.endpoint.local_servers import LocalServer
from state.settings import Settings

GRADE = {"document_1": {"reason": "stated", "holds": True}}
OLLAMA = {
    "/api/version": {"version": "0.9"},
    "/api/show": {"parameters": "num_ctx 4096\nstop <end>"},
    "/api/ps": {"models": [{"name": "small", "context_length": 8192}]},
}


def server(beside, chat, models=("small",)):
    """`beside` is what it tells besides chatting; `chat` how it chats."""
    listed = {"data": [{"id": name, "object": "model"} for name in models]}
    return ScriptedServer(always=chat, pages={"/v1/models": listed, **beside})


def well(body):
    structured = "one JSON object" in body["messages"][1]["content"]
    return (call(GRADE) if structured else text("The line runs. " * 4))(body)


def examined(running, home):
    with running:
        settings = settings_for(running, home=home, model="small")
        return {check.part: check for check in check_models(settings, BuiltinEmbedder())}


def test_a_server_that_is_well_is_told_of(tmp_path):
    found = examined(server(OLLAMA, well), tmp_path)
    assert all(check.ok for check in found.values())
    assert found["model: replies"].detail.startswith("replies by JSON schema; ")
    assert found["model: context"].detail == "8,192 tokens (Ollama)"
    assert "tokens a second" in found["model: replies"].detail


@pytest.mark.parametrize(
    "beside",
    [
        {**OLLAMA, "/api/ps": {"models": []}, "/api/show": {"parameters": "num_ctx 2048"}},
        {"/props": {"default_generation_settings": {"n_ctx": 2_048}}},
        {"/api/v0/models": {"data": [{"id": "small", "loaded_context_length": 2_048}]}},
        {"/v1/models": {"data": [{"id": "small", "max_model_len": 2_048}]}},
    ],
)
def test_a_context_that_is_too_short_is_found(beside, tmp_path):
    context = examined(server(beside, well), tmp_path)["model: context"]
    assert not context.ok
    assert "2,048 tokens" in context.detail
    assert "8192" in context.mend


def test_a_model_that_is_not_offered_is_named_with_those_that_are(tmp_path):
    check = examined(server(OLLAMA, well, models=("tiny", "large")), tmp_path)["model"]
    assert not check.ok
    assert "large, tiny" in check.detail
    assert "load small" in check.mend


def refusing(*names):
    def reply(body):
        refused = any(name in body for name in names)
        return status(400, "does not support tools")(body) if refused else well(body)

    return reply


def test_what_forms_it_takes_is_told(tmp_path):
    found = examined(server({}, refusing("response_format", "tools")), tmp_path)
    assert "takes no schema" in found["model: replies"].detail
    assert found["model: replies"].ok
    assert found["model: context"].detail == "the server does not tell its size"


def test_a_model_that_thinks_is_told_of(tmp_path):
    def thinking(body):
        return text(f"<think>Hm.</think>{json.dumps(GRADE)}")(body)

    found = examined(server({}, thinking), tmp_path)
    assert "thinks before it replies" in found["model: replies"].detail


def test_replies_that_cannot_be_read_and_a_server_that_fails_are_faults(tmp_path):
    prose = examined(server({}, text("Yes, it does. It has eleven.")), tmp_path / "a")
    assert not prose["model: replies"].ok
    assert "--grader local" in prose["model: replies"].mend
    failing = examined(server({}, status(500, "out of memory")), tmp_path / "b")
    assert not failing["model: replies"].ok
    assert "out of memory" in failing["model: replies"].detail


@pytest.mark.parametrize(
    ("servers", "further"),
    [
        ([], "Ollama, LM Studio, llama.cpp, vLLM"),
        (
            [LocalServer("Ollama", "http://127.0.0.1:1/v1", {"embed-text": None, "qwen": 8192})],
            "crag model use http://127.0.0.1:1/v1 qwen",
        ),
    ],
)
def test_without_a_model_the_next_step_is_told(servers, further, tmp_path, monkeypatch):
    monkeypatch.setattr("rag.endpoint.local_servers.local_servers", lambda: servers)
    *_, last = check_models(Settings(home=tmp_path, engine="local"), BuiltinEmbedder())
    assert last.ok
    assert further in last.mend


def test_nothing_of_the_person_s_documents_is_sent(tmp_path):
    examined(running := server(OLLAMA, well), tmp_path)
    chats = [r for r in running.requests if r.path.endswith("/chat/completions")]
    assert len(chats) == 1
    assert all("The line runs along the valley" in chat.prompt for chat in chats)
