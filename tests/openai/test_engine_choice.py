"""A key or a URL makes auto openai; wherever a model answers, it is said where documents go."""

import pytest
from openai_samples import StandIn

from rag.endpoint.address import chat_endpoint, host_of
from rag.opening import build_engine, choose_engine, engine_notice
from state.errors import SettingsError
from state.settings import Settings

KEY = {"api_key": "sk-1"}
ASKED = {"grader": "model", "verify": "model"}
SENT = "documents are sent there"
UNHEEDED = "--grader model and --verify model cannot be heeded"


@pytest.mark.parametrize(
    ("given", "engine", "told"),
    [
        (KEY, "openai", ["api.openai.com", SENT]),
        ({"base_url": "http://localhost:11434/v1"}, "openai", ["localhost:11434", SENT]),
        ({"base_url": "https://gateway.example/v1?v=1"}, "openai", ["gateway.example", SENT]),
        ({"engine": "openai"}, "openai", ["api.openai.com", SENT]),
        ({"engine": "local", **KEY}, "local", []),
        ({}, "local", []),
        (ASKED, "local", [UNHEEDED]),
        ({"engine": "local", **ASKED}, "local", [UNHEEDED]),
        ({"engine": "openai", **ASKED}, "openai", [SENT]),
        ({"grader": "local", "verify": "code"}, "local", []),
    ],
)
def test_which_engine_is_taken_and_what_is_told_of_it(given, engine, told):
    assert choose_engine(Settings(**given)) == engine
    said = engine_notice(Settings(**given)) or ""
    assert bool(said) is bool(told)
    assert all(words in said for words in told)
    assert "\n" not in said
    assert "sk-1" not in said


def test_the_engine_is_built_as_chosen():
    local = StandIn()
    assert build_engine(Settings(), local) is local
    settings = Settings(base_url="http://localhost:1/v1", model="m")
    built = build_engine(settings, local)
    assert (built.name, built.model) == ("openai", "m")
    with pytest.raises(SettingsError, match="no key"):
        build_engine(Settings(engine="openai"), local)


@pytest.mark.parametrize(
    ("url", "host", "loopback"),
    [
        ("http://127.0.0.1:8080/v1", "127.0.0.1:8080", True),
        ("http://[::1]:8080/v1", "[::1]:8080", True),
        ("http://localhost/v1", "localhost", True),
        ("http://api.localhost/v1", "api.localhost", True),
        ("https://openrouter.ai:443/api/v1", "openrouter.ai", False),
        ("http://192.168.1.5:1234/v1", "192.168.1.5:1234", False),
    ],
)
def test_hosts_as_they_are_shown(url, host, loopback):
    endpoint = chat_endpoint(Settings(base_url=url))
    assert (endpoint.host, endpoint.loopback) == (host, loopback)
    assert host_of(url) == host


def test_a_query_of_the_url_is_kept_apart():
    endpoint = chat_endpoint(Settings(base_url="https://g.example/v1?api-version=2"))
    assert endpoint.base_url == "https://g.example/v1"
    assert endpoint.query == (("api-version", "2"),)
