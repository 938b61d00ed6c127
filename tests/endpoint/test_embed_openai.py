"""Embeddings from a compatible endpoint: batched, ordered, checked, waited for."""

import json
import math

import numpy as np
import pytest
from openai_samples import KEY, settings_for
from scripted_server import ScriptedServer, Sent, embeddings, raw, status

from rag.embed.openai import OpenAIEmbedder
from rag.embed.protocol import EmbedderIdentity
from state.errors import ModelError, SettingsError


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


def vector_of(text):
    """Different for different texts, not of length 1."""
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 97)]


def unit(vector):
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector]


def embedder_of(server, **changed):
    return OpenAIEmbedder(settings_for(server, **changed))


@pytest.fixture
def server():
    with ScriptedServer(always=embeddings(vector_of)) as running:
        yield running


def test_rows_are_unit_vectors_in_the_order_given(server):
    texts = [f"text number {n}" * (n % 5 + 1) for n in range(150)]
    vectors = embedder_of(server).embed_documents(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (150, 3)
    assert np.allclose(vectors, [unit(vector_of(text)) for text in texts], atol=1e-6)
    assert [len(request.body["input"]) for request in server.requests] == [64, 64, 22]


def test_strings_are_sent_not_tokens_and_to_the_embedding_model(server):
    embedder_of(server, embedding_model="nomic").embed_query("hello")
    request = server.requests[0]
    assert request.path == "/v1/embeddings"
    assert (request.body["input"], request.body["model"]) == (["hello"], "nomic")
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_a_server_that_is_not_there_is_told_with_the_setting_that_names_it():
    nowhere = "http://localhost:9/v1"
    embedder = OpenAIEmbedder(settings_for(embedding_base_url=nowhere))
    with pytest.raises(ModelError) as told:
        embedder.embed_query("hello")
    assert "check embedding_base_url" in told.value.hint


def test_identity_is_learnt_from_the_first_reply(server):
    embedder = embedder_of(server)
    embedder.embed_query("hello")
    assert embedder.identity == EmbedderIdentity("openai:text-embedding-3-small", 3, "1")
    assert len(server.requests) == 1
    assert embedder_of(server).identity == embedder.identity
    assert len(server.requests) == 2


def test_empty_texts_are_zero_rows_and_not_sent_empty(server):
    embedder = embedder_of(server)
    vectors = embedder.embed_documents(["", "word", " \n"])
    assert not vectors[[0, 2]].any()
    assert np.isclose(np.linalg.norm(vectors[1]), 1)
    assert all(map(str.strip, server.requests[0].body["input"]))
    assert embedder.embed_documents([]).shape == (0, 3)
    assert not embedder_of(server).embed_query("").any()


def test_a_lone_surrogate_can_be_embedded(server):
    assert embedder_of(server).embed_query("a\ud800b").any()


def test_a_server_that_knows_floats_only():
    def floats_only(body):
        if body.get("encoding_format") != "float":
            return status(400, "unsupported encoding_format")(body)
        return embeddings(vector_of)(body)

    with ScriptedServer(always=floats_only) as server:
        embedder = embedder_of(server)
        assert np.allclose(embedder.embed_query("hello"), unit(vector_of("hello")))
        embedder.embed_query("again")
        assert len(server.requests) == 2


def test_rows_sent_in_another_order_are_put_right():
    def shuffled(body):
        sent = embeddings(vector_of)(body)
        whole = json.loads(sent.body)
        whole["data"].reverse()
        return Sent(body=json.dumps(whole).encode())

    with ScriptedServer(always=shuffled) as server:
        vectors = embedder_of(server).embed_documents(["one", "three"])
    assert np.allclose(vectors, [unit(vector_of("one")), unit(vector_of("three"))], atol=1e-6)


def reply_of(rows):
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    return raw(json.dumps({"object": "list", "data": data, "model": "m"}).encode())


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (reply_of([[1.0, 2.0]]), "no chat completion or embedding"),
        (reply_of([[1.0], [1.0], [1.0]]), "no chat completion or embedding"),
        (reply_of([[1.0, 2.0], [1.0]]), "no chat completion or embedding"),
        (reply_of([[], []]), "no chat completion or embedding"),
        (reply_of([[1.0, float("nan")], [1.0, 2.0]]), "no chat completion or embedding"),
        (reply_of([["x"], ["y"]]), "no chat completion or embedding"),
        (raw(b"<html></html>", "text/html"), "no chat completion or embedding"),
        (status(401, KEY), "refused the key"),
        (status(404, "model not found"), "not found (404)"),
    ],
)
def test_what_is_no_embedding_is_an_error(reply, words):
    with ScriptedServer(always=reply) as server, pytest.raises(ModelError) as caught:
        embedder_of(server).embed_documents(["one", "two"])
    assert words in str(caught.value)
    assert "text-embedding-3-small" in str(caught.value)
    assert KEY not in str(caught.value)


def test_a_dimension_that_changes_is_an_error():
    replies = iter([[1.0, 2.0], [1.0, 2.0, 3.0]])
    with ScriptedServer(always=embeddings(lambda _: next(replies))) as server:
        embedder = embedder_of(server)
        embedder.embed_query("one")
        with pytest.raises(ModelError, match="no chat completion or embedding"):
            embedder.embed_query("two")


def test_openai_without_a_key_is_a_setting_to_mend():
    with pytest.raises(SettingsError, match="embedding_api_key"):
        OpenAIEmbedder(settings_for(api_key=None))


def test_the_embedder_shows_no_key(server):
    assert KEY not in repr(embedder_of(server))
