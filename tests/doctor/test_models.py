"""`crag doctor` on the servers people run: whether each replies, and the mending."""

import pytest
from openai_samples import settings_for
from scripted_server import ScriptedServer, status, text

from rag.doctor.checkup import examine
from rag.endpoint.local_servers import LocalServer
from state.settings import Settings


def examined(chat, home):
    with ScriptedServer(always=chat) as running:
        settings = settings_for(running, home=home, model="small")
        *_, last = examine(settings)
    return last, running.requests


def test_a_server_that_is_well_is_asked_for_one_word_and_sent_nothing_of_the_person_s(tmp_path):
    check, requests = examined(text("Yes."), tmp_path)
    assert (check.ok, check.part) == (True, "model")
    assert check.detail.startswith("small at ")
    (chat,) = requests
    assert chat.prompt == "Reply with one word."


@pytest.mark.parametrize(
    ("chat", "told"),
    [
        (text(""), "with no text. Use another model"),
        (status(500, "out of memory"), "out of memory"),
        (status(404, "no such model"), "no such model"),
    ],
)
def test_a_reply_without_text_and_a_server_that_fails_are_faults(chat, told, tmp_path):
    check, _ = examined(chat, tmp_path)
    assert not check.ok
    assert told in f"{check.detail}. {check.mend}"


OLLAMA = LocalServer("Ollama", "http://127.0.0.1:1/v1", {"embed-text": None, "qwen": 8192})
HERE = "Ollama at http://127.0.0.1:1/v1 with embed-text, qwen (8,192 tokens)"
NONE = "none here of Ollama, LM Studio, llama.cpp, vLLM"


@pytest.mark.parametrize(("running", "told"), [([], NONE), ([OLLAMA], HERE)])
def test_what_runs_here_and_the_next_step_without_a_model(running, told, tmp_path, monkeypatch):
    monkeypatch.setattr("rag.endpoint.local_servers.local_servers", lambda: running)
    *_, servers, model = examine(Settings(home=tmp_path, engine="local"))
    assert (servers.detail, servers.ok, model.ok) == (told, True, True)
    assert "crag model use" in model.mend


@pytest.mark.parametrize("base_url", ["ftp://h/v1", "https://api.openai.com/v1"])
def test_a_model_that_is_set_up_wrongly_is_a_fault_and_not_the_end(base_url, tmp_path):
    *_, last = examine(Settings(home=tmp_path, base_url=base_url))
    assert (last.part, last.ok) == ("model", False)
    assert last.mend
