"""auto is openai when a key or a URL says so, and then says where documents go."""

import pytest
from openai_samples import StandIn

from rag.endpoint.address import chat_endpoint, host_of
from rag.opening import build_engine, choose_engine, engine_notice
from state.errors import SettingsError
from state.settings import Settings


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ({"api_key": "sk-1"}, "api.openai.com"),
        ({"base_url": "http://localhost:11434/v1"}, "localhost:11434"),
        ({"base_url": "https://gateway.example/openai/v1?api-version=1"}, "gateway.example"),
    ],
)
def test_auto_with_either_is_openai_and_says_where_documents_go(given, host):
    assert choose_engine(Settings(**given)) == "openai"
    notice = engine_notice(Settings(**given))
    assert host in notice
    assert "documents are sent there" in notice
    assert "\n" not in notice
    assert "sk-1" not in notice


def test_an_engine_that_was_named_and_auto_without_key_and_url_are_taken_without_a_word():
    assert choose_engine(Settings(engine="local", api_key="sk-1")) == "local"
    assert choose_engine(Settings()) == "local"
    for given in ({}, {"engine": "local", "api_key": "sk-1"}, {"engine": "openai"}):
        assert engine_notice(Settings(**given)) is None


def test_what_takes_a_model_is_told_of_where_there_is_none():
    said = "The local engine has no model: --grader model and --verify model cannot be heeded."
    asked = {"grader": "model", "verify": "model"}
    assert engine_notice(Settings(**asked)) == said
    assert engine_notice(Settings(engine="local", **asked)) == said
    assert engine_notice(Settings(engine="openai", **asked)) is None
    assert engine_notice(Settings(grader="local", verify="code")) is None


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
