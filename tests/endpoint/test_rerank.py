"""A reranker by address puts the best chunks in order; one that fails changes nothing."""

import json

import pytest
from memory_collection import MemoryCollection
from openai_samples import settings_for
from scripted_server import ScriptedServer, Sent, hang, raw, status

from rag.endpoint.rerank import Reranker
from rag.engines.factory import local_engine
from rag.index.reranked import RerankedCollection
from rag.ingest.sync import ingest
from rag.opening import build_embedder, open_reader
from state.errors import ModelError, SettingsError

TEXTS = {f"{n}.md": f"The hut number {n} has beds." for n in range(6)}


def by_number(texts):
    """The later hut is the better one."""
    return [int(text.split("number ")[1].split()[0]) / 10 for text in texts]


def sent(rows):
    return Sent(body=json.dumps(rows).encode())


def jina(body):
    scores = by_number(body["documents"])
    rows = [{"index": n, "relevance_score": s} for n, s in enumerate(scores)]
    return sent(
        {"model": body["model"], "results": sorted(rows, key=lambda r: -r["relevance_score"])}
    )


def tei(body):
    if "texts" not in body:
        return status(422, "missing field `texts`")(body)
    rows = [{"index": n, "score": s} for n, s in enumerate(by_number(body["texts"]))]
    return sent(sorted(rows, key=lambda r: -r["score"]))


def reranker(server, **changed):
    return Reranker.connect(settings_for(reranker_url=server.url, **changed))


@pytest.mark.parametrize("shape", [jina, tei])
def test_both_shapes_of_server_are_asked_and_read(shape):
    with ScriptedServer(always=shape) as server:
        scorer = reranker(server, reranker_model="bge")
        for _ in range(2):
            assert scorer.scores("beds", list(TEXTS.values())) == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
        assert len(server.requests) == (2 if shape is jina else 3)
    assert server.requests[0].path == "/v1/rerank"
    assert server.requests[0].body["model"] == "bge"


def test_its_own_key_is_sent_and_no_other():
    with ScriptedServer(always=jina) as server:
        reranker(server).scores("beds", ["number 1", "number 2"])
        reranker(server, reranker_api_key="rk-1234567890").scores("beds", ["number 1"])
    keys = [request.headers["authorization"] for request in server.requests]
    assert keys == ["Bearer no-key", "Bearer rk-1234567890"]


@pytest.mark.parametrize(
    "reply",
    [
        status(500, "oops"),
        raw(b"<html>"),
        raw(b'{"results": []}'),
        raw(b'{"results": [{"index": 0, "relevance_score": NaN}]}'),
        raw(b'{"results": [{"index": 7, "relevance_score": 1}]}'),
        hang(),
    ],
)
def test_a_reranker_that_fails_leaves_the_order_and_says_so_once(reply):
    told = []
    with ScriptedServer(always=reply) as server:
        scorer = reranker(server, request_timeout=0.3)
        with pytest.raises(ModelError, match="reranker at 127"):
            scorer.scores("beds", ["number 1"])
        plain = MemoryCollection(TEXTS)
        collection = RerankedCollection(plain, scorer, told.append)
        for _ in range(2):
            assert collection.search("hut 3", 4) == plain.search("hut 3", 4)
    assert len(told) == 1
    assert "CRAG_RERANKER_URL" in told[0]


def test_the_best_of_fifty_come_first_with_the_reranker_s_scores():
    with ScriptedServer(always=jina) as server:
        collection = RerankedCollection(MemoryCollection(TEXTS), reranker(server), print)
        hits = collection.search("hut beds", 3)
    assert [hit["source"] for hit in hits] == ["5.md", "4.md", "3.md"]
    assert [hit["score"] for hit in hits] == [0.5, 0.4, 0.3]
    assert len(server.requests[0].body["documents"]) == len(TEXTS)


def test_the_settings_open_it_and_code_judges_without_it(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    with ScriptedServer(always=jina) as server:
        settings = settings_for(home=tmp_path / "home", engine="local", reranker_url=server.url)
        ingest(settings, build_embedder(settings), [str(folder)])
        with open_reader(settings) as reader:
            assert reader.search("hut beds", 1)[0]["source"].endswith("5.md")
            asked = len(server.requests)
            local_engine(reader).contextualize("And the hut?", [])
            assert len(server.requests) == asked


def test_an_unusable_address_is_a_setting_to_mend():
    with pytest.raises(SettingsError, match="reranker_url"):
        Reranker.connect(settings_for(reranker_url="localhost:8012"))
