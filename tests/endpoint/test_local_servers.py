"""What runs on this machine, what a server tells of itself, and what it is given for that."""

import json
import time

import pytest
from bad_servers import MISDEEDS, bad_server
from crag import crag
from openai_samples import answering, chunk_of, connect, settings_for
from scripted_server import ScriptedServer, hang, status, text

from rag.budget import Budget, BudgetSpent
from rag.endpoint.address import chat_endpoint
from rag.endpoint.local_servers import facts_of, local_servers
from rag.engines.openai.reply import Reply
from state.errors import ModelLateError

LISTED = {"/v1/models": {"data": [{"id": "qwen", "max_model_len": 4096}]}}
STUDIO = {"id": "qwen", "max_context_length": 4096, "loaded_context_length": 2048}
RUNNING = {"models": [{"name": "qwen", "context_length": 16384}]}
OLLAMA = {"/api/version": {"version": "1"}, "/api/ps": RUNNING}
KINDS = {
    "vLLM": (LISTED, 4096),
    "llama.cpp": (LISTED | {"/props": {"default_generation_settings": {"n_ctx": 8192}}}, 8192),
    "LM Studio": (LISTED | {"/api/v0/models": {"data": [STUDIO]}}, 2048),
    "Ollama": (LISTED | OLLAMA, 16384),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_known_by_what_it_tells(kind, monkeypatch):
    monkeypatch.setattr("rag.endpoint.local_servers.SECONDS", 10.0)
    pages, context = KINDS[kind]
    with ScriptedServer(pages=pages) as server:
        port = int(server.host.rpartition(":")[2])
        (found,) = local_servers({"another": port})
    assert (found.kind, found.base_url) == (kind, server.url)
    assert found.models == {"qwen": context}


def test_a_server_that_lists_its_models_anywhere_is_of_no_known_kind(monkeypatch):
    monkeypatch.setattr("rag.endpoint.local_servers.SECONDS", 10.0)
    listed = {"data": [{"id": "qwen", "object": "model"}]}
    pages = {"/v1/models": listed, "/api/v0/models": listed}
    with ScriptedServer(pages=pages) as server:
        facts = facts_of(chat_endpoint(settings_for(server)), "qwen")
    assert (facts.kind, facts.context) == (None, None)


@pytest.mark.parametrize("rows", [None, {}, [{"name": "qwen"}], [{"id": 1}]])
def test_a_list_of_something_else_is_no_server_of_models(rows):
    with ScriptedServer(pages={"/v1/models": {"data": rows}}) as server:
        assert local_servers({"any": int(server.host.rpartition(":")[2])}) == []


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_what_is_no_such_server_is_none_at_once(misdeed):
    with bad_server(MISDEEDS[misdeed]) as port:
        began = time.monotonic()
        assert local_servers({"any": port}) == []
        settings = settings_for(base_url=f"http://127.0.0.1:{port}/v1")
        assert facts_of(chat_endpoint(settings), "m").context is None
    assert time.monotonic() - began < 10


def test_a_model_is_set_and_taken_out_and_the_rest_of_the_file_stays(tmp_path):
    file = tmp_path / "config.toml"
    before = '# mine\nk = 5\nmodel = "old"\n\n[prices]\n"a" = [1, 2]\n'
    file.write_text(before)
    with ScriptedServer(pages=LISTED) as server:
        used = crag(tmp_path, "model", "use", server.url, "qwen", "--config", file)
        assert used.exit_code == 0, used.output
        shown = crag(tmp_path, "model", "--json", "--config", file, CRAG_ENGINE="auto")
    told = json.loads(shown.stdout)
    assert (told["engine"], told["model"], told["base_url"]) == ("openai", "qwen", server.url)
    assert file.read_text().endswith('\n[prices]\n"a" = [1, 2]\n')
    assert crag(tmp_path, "model", "use", "local", "--config", file).exit_code == 0
    assert file.read_text() == before.replace('model = "old"\n', "")
    kept = 'model = """a\nb"""\nk = 9\n'
    file.write_text(kept)
    refused = crag(tmp_path, "model", "use", "local", "--config", file)
    assert (refused.exit_code, file.read_text()) == (4, kept)
    assert "Change it by hand" in refused.stderr


@pytest.mark.parametrize("held", ["'model' = 'old'", "\"model\"='old'", "# one line\u2028of two"])
def test_a_file_stays_readable_however_it_was_written_and_any_name_is_read_back(held, tmp_path):
    words = ("--config", tmp_path / "c.toml")
    (tmp_path / "c.toml").write_text(f"{held}\n[prices]\nold = [1, 2]\n")
    assert crag(tmp_path, "model", "use", "http://localhost:1/v1", "m😀", *words).exit_code == 0
    shown = json.loads(crag(tmp_path, "config", "show", "--json", *words).stdout)
    assert {row["key"]: row["value"] for row in shown["settings"]}["model"] == "m😀"


@pytest.mark.parametrize(
    ("file", "words", "told"),
    [
        ("", ("local",), "a model still answers"),
        ('engine = "local"\n', ("http://localhost:1/v1", "m"), "no model answers yet"),
        ('engine = "local"\n', ("local",), ""),
    ],
)
def test_what_decides_besides_the_two_lines_is_told(file, words, told, tmp_path):
    config = tmp_path / "c.toml"
    config.write_text(file)
    variables = {"CRAG_ENGINE": "", "OPENAI_API_KEY": "sk-of-nobody"}
    used = crag(tmp_path, "model", "use", *words, "--config", config, **variables)
    assert used.exit_code == 0, used.output
    assert told in used.stderr
    assert bool(told) is bool(used.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("http://localhost:1/v1",),
        ("http://localhost:1/v1", ""),
        ("", "m"),
        ("localhost:1", "m"),
        ("http://me:secret@h/v1", "m"),
        ("http://[h/v1", "m"),
        ("http://localhost:1/v1 m", "m"),
        ("http://localhost:1/v1", "m\udcff"),
    ],
)
def test_what_names_no_model_writes_nothing(words, tmp_path):
    refused = crag(tmp_path, "model", "use", *words, "--config", tmp_path / "c.toml")
    assert refused.exit_code in (2, 4)
    assert not (tmp_path / "c.toml").exists()
    assert "secret" not in refused.output


LONG = [chunk_of(f"c{n}", f"Fact {n}: " + "a station on the line, " * 100) for n in range(12)]


def given_of(request):
    return request.prompt.count("Fact ")


def ask(server, *, streamed=True, **changed):
    engine = connect(server, **changed).for_question(Budget(), streamed=streamed)
    return engine, engine.generate(answering(*LONG), lambda _: None)


@pytest.mark.parametrize("context", [4_096, 100_000])
def test_a_small_context_is_given_the_best_that_fits(context):
    pages = {"/props": {"default_generation_settings": {"n_ctx": context}}}
    with ScriptedServer(text("Yes [1]."), pages=pages) as server:
        ask(server, context_tokens=6_000)
        (request,) = server.requests
    assert (given_of(request) == len(LONG)) is (context > 10_000)
    assert "Fact 0" in request.prompt


def test_a_prompt_that_is_called_too_long_is_sent_again_with_less():
    def narrow(body):
        long = body["messages"][1]["content"].count("Fact ") > 4
        refused = status(400, "the request exceeds the available context size")
        return (refused if long else text("Yes [1]."))(body)

    with ScriptedServer(always=narrow) as server:
        _, answer = ask(server)
        assert answer.complete
        assert 0 < given_of(server.requests[-1]) <= 4


LLAMA = {"/props": {"default_generation_settings": {"n_ctx": 100_000}}}


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(
    ("pages", "chosen", "less"),
    [(LLAMA, {}, True), (LLAMA, {"context_tokens": 6_000}, False), ({}, {}, False)],
)
def test_a_server_of_this_machine_that_reads_slowly_is_given_less_unless_told_otherwise(
    pages, chosen, less, streamed, monkeypatch
):
    monkeypatch.setattr("rag.engines.openai.server.SLOW", 10.0**9)
    monkeypatch.setattr("rag.engines.openai.server.PATIENCE", 0.0)
    with ScriptedServer(always=text("Yes [1].", usage=(5_000, 5)), pages=pages) as server:
        engine, _ = ask(server, streamed=streamed, **chosen)
        assert bool(engine.chat.server.known.reads) is bool(pages)
        engine.generate(answering(*LONG), lambda _: None)
        first, second = map(given_of, server.requests)
    assert (second < first) is less


def test_a_long_reply_of_a_slow_server_does_not_pass_for_a_fast_one(tmp_path):
    with ScriptedServer(pages=LLAMA) as server:
        chat = connect(server, home=tmp_path).chat
        usage = {"input_tokens": 1_500, "output_tokens": 400, "total_tokens": 1_900}
        chat.server.time(Reply("Yes.", usage=usage), took=39.0)
        assert chat.server.is_slow


def test_a_server_of_this_machine_is_given_little_until_it_was_timed():
    with ScriptedServer(always=text("Yes [1].", usage=(5_000, 5)), pages=LLAMA) as server:
        engine, _ = ask(server)
        engine.generate(answering(*LONG), lambda _: None)
        first, second = map(given_of, server.requests)
    assert first < second == len(LONG)


@pytest.mark.parametrize(
    ("pages", "seconds", "less"), [(LLAMA, None, True), (LLAMA, 1.0, False), ({}, None, False)]
)
def test_a_known_server_that_had_time_and_is_late_is_given_less(pages, seconds, less, monkeypatch):
    monkeypatch.setattr("rag.engines.openai.server.FIRST_CONTEXT", 6_000)
    monkeypatch.setattr("rag.endpoint.local_servers.SECONDS", 10.0)
    with ScriptedServer(hang(), always=text("Yes [1]."), pages=pages) as server:
        chat = connect(server, request_timeout=2.0 if seconds is None else 60.0)
        # Its time is over once the model was asked, however long that takes on this machine.
        budget = Budget(deadline=seconds, clock=lambda: float(len(server.requests)))
        with pytest.raises((ModelLateError, BudgetSpent)):
            chat.for_question(budget, streamed=False).generate(answering(*LONG), lambda _: None)
        chat.for_question(Budget(), streamed=False).generate(answering(*LONG), lambda _: None)
        late, next_one = given_of(server.requests[0]), given_of(server.requests[-1])
    assert (next_one < late) is less
