"""What becomes of a model's sentences over a whole turn, with a model over real HTTP."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from openai_samples import KEY, settings_for, verdict
from scripted_server import ScriptedServer, call, shape_asked, text

from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.session import open_session

ROOT = Path(__file__).parents[2]
BRIDGE = "The Orrin Bridge is 164 metres long. It was opened in 1887 by Ada Lorne.\n"
QUESTION = "How long is the Orrin Bridge?"


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "bridge.md").write_text(BRIDGE)
    settings = settings_for(home=tmp_path / "home", engine="local")
    ingest(settings, build_embedder(settings), [str(folder)])
    return tmp_path / "home"


def model(*drafts, supported=True):
    """Finds everything relevant, writes one draft after the other and judges claims alike."""
    left = list(drafts)

    def reply(body):
        prompt = body["messages"][1]["content"]
        asked = shape_asked(body)
        if asked is None:
            return text(left.pop(0))(body)
        if "claim_1" in asked[1]["properties"]:
            claims = {
                name: {"reason": "r", "supported": supported} for name in asked[1]["properties"]
            }
            return call(claims)(body)
        rows = {name: verdict(True) for name in re.findall(r"document_\d+", prompt)}
        return call({**rows, "sufficient": True, "better_query": ""})(body)

    return reply


def turn(home, *drafts, supported=True, **changed):
    """The answer, and what was sent to have a draft."""
    with ScriptedServer(always=model(*drafts, supported=supported)) as server:
        with open_session(
            settings_for(server, home=home, **{"grader": "model", **changed})
        ) as session:
            answer = session.ask(QUESTION)
        bodies = [request.body for request in server.requests]
    return answer, [body["messages"] for body in bodies if shape_asked(body) is None]


def test_a_contradicted_sentence_goes_for_its_passage_while_one_is_verified(home):
    answer, asked = turn(
        home, "The Orrin Bridge is 164 metres long [1]. It was opened in 1878 by Ada Lorne [1]."
    )
    said, passage = answer["answer"].split("\n\n")
    assert said == "The Orrin Bridge is 164 metres long [1]."
    assert "It was opened in 1887 by Ada Lorne." in passage
    assert answer["dropped"] == ["It was opened in 1878 by Ada Lorne."]
    verdicts = [claim["verdict"] for claim in answer["claims"]]
    assert verdicts == ["verified", "contradicted", "verified"]
    assert (answer["status"], answer["generation_retries"], len(asked)) == ("partial", 0, 1)


def test_an_unverified_sentence_beside_a_verified_one_costs_no_status_and_shows_its_passage(home):
    answer, asked = turn(
        home, "The Orrin Bridge is 164 metres long [1]. Its arches are admired by everybody [1]."
    )
    said, passage = answer["answer"].split("\n\n", 1)
    assert said.endswith("Its arches are admired by everybody [2] (unverified).")
    assert "The Orrin Bridge is 164 metres long" in passage
    supports = [c["support"] for c in answer["citations"]]
    assert supports == ["verbatim", "unsupported", "verbatim"]
    assert (answer["status"], len(asked)) == ("answered", 1)


def test_only_unverified_sentences_make_a_partial_answer_with_their_passage_behind_them(home):
    answer, asked = turn(home, "From end to end one walks 164 m across it [1].")
    said, passage = answer["answer"].split("\n\n", 1)
    assert said.endswith("(unverified).")
    assert "The Orrin Bridge is 164 metres long" in passage
    assert [claim["verdict"] for claim in answer["claims"]] == ["unverified", "verified"]
    assert answer["citations"][-1]["support"] == "verbatim"
    assert (answer["status"], len(asked)) == ("partial", 1)


def test_a_draft_that_is_all_wrong_goes_back_with_what_was_wrong(home):
    wrong = "The Orrin Bridge is 146 metres long [1]."
    answer, asked = turn(home, wrong, "The Orrin Bridge is 164 metres long [1].")
    told = asked[1][1]["content"]
    assert "The Orrin Bridge is 146 metres long" in told
    assert "the source says 164 metres, not 146 metres" in told
    assert answer["answer"] == "The Orrin Bridge is 164 metres long [1]."
    assert (answer["status"], answer["generation_retries"], answer["dropped"]) == (
        "answered",
        1,
        [],
    )


def test_the_better_of_two_drafts_is_kept(home):
    first = "The Orrin Bridge is 146 metres long [1]. One walks 164 m across it [1]."
    answer, _ = turn(home, first, "The Orrin Bridge is 641 metres long [1].")
    assert "One walks 164 m across it" in answer["answer"]
    assert answer["dropped"] == ["The Orrin Bridge is 146 metres long."]
    assert (answer["status"], answer["generation_retries"]) == ("partial", 1)


def test_in_the_place_of_two_wrong_drafts_stands_what_contradicts_them(home):
    answer, _ = turn(
        home, "The Orrin Bridge is 146 metres long.", "The Orrin Bridge is 641 metres long."
    )
    assert answer["status"] == "partial"
    assert "The Orrin Bridge is 164 metres long" in answer["answer"]
    assert not {"146", "641"} & set(answer["answer"].split())
    assert answer["dropped"] == ["The Orrin Bridge is 641 metres long."]


def test_a_sentence_that_says_nothing_is_no_answer_and_goes_back_to_nobody(home):
    answer, asked = turn(home, "This information is found in the document [1].")
    assert (answer["status"], len(asked)) == ("abstained", 1)


def test_where_a_model_finds_no_answer_what_code_is_sure_of_is_quoted(home):
    answer, asked = turn(home, "I cannot answer this from the documents.", grader="local")
    assert (answer["status"], len(asked)) == ("partial", 1)
    assert answer["answer"].startswith("The Orrin Bridge is 164 metres long.")
    assert [each["support"] for each in answer["citations"]] == ["verbatim"]
    assert "gave no answer; these passages are likely to hold one" in answer["warnings"][-1]


def test_where_neither_is_sure_a_model_that_finds_no_answer_is_believed(home):
    answer, _ = turn(home, "I cannot answer this from the documents.")
    assert (answer["status"], answer["citations"]) == ("abstained", [])
    assert "164 metres" in answer["nearest"][0]["passage"]


@pytest.mark.parametrize(("supported", "verdict_"), [(True, "verified"), (False, "contradicted")])
def test_the_model_is_asked_once_about_what_is_open(home, supported, verdict_):
    answer, _ = turn(
        home,
        "The Orrin Bridge is 164 metres long [1]. From end to end one walks far across it [1].",
        supported=supported,
        verify="model",
    )
    assert [claim["verdict"] for claim in answer["claims"]][:2] == ["verified", verdict_]
    assert answer["usage"]["by_node"]["check_answer"]["llm_calls"] == 1


def test_nothing_is_taken_out_in_silence(home):
    drafted = "The Orrin Bridge is 164 metres long [1]. It was opened in 1878 by Ada Lorne [1]."
    with ScriptedServer(always=model(drafted)) as server:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "CRAG_ENGINE": "openai",
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": server.url,
        }
        ran = subprocess.run(
            [
                sys.executable,
                "-m",
                "cli",
                "ask",
                QUESTION,
                "--home",
                str(home),
                "--engine",
                "openai",
            ],
            capture_output=True,
            text=True,
            timeout=120,
            env=environment,
            check=False,
        )
    assert ran.stdout.startswith("The Orrin Bridge is 164 metres long [1].\n")
    assert (
        "left out: “It was opened in 1878 by Ada Lorne.” (the source says 1887, not 1878)"
        in ran.stderr
    )
