"""What runs on this machine, what a server tells of itself, and what it is given for that."""

import json

import pytest
from bad_servers import MISDEEDS, bad_server
from crag import crag
from in_time import within
from openai_samples import answering, connect, settings_for
from scripted_server import ScriptedServer, text

from rag.endpoint.address import chat_endpoint
from rag.endpoint.local_servers import facts_of, local_servers
from rag.engines.openai.server import BESIDE, FIRST_CONTEXT, LEAST_CONTEXT

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
    with bad_server(MISDEEDS[misdeed]) as port, within(10):
        assert local_servers({"any": port}) == []
        settings = settings_for(base_url=f"http://127.0.0.1:{port}/v1")
        assert facts_of(chat_endpoint(settings), "m").context is None


def test_a_model_is_set_and_taken_out_and_the_rest_of_the_file_stays(tmp_path):
    file = tmp_path / "config.toml"
    before = '# mine\nk = 5\nmodel = "old"\n\n[prices]\n"model" = [1, 2]\n'
    file.write_text(before)
    with ScriptedServer(pages=LISTED) as server:
        used = crag(tmp_path, "model", "use", server.url, "qwen", "--config", file)
        assert used.exit_code == 0, used.output
        shown = crag(tmp_path, "model", "--json", "--config", file, CRAG_ENGINE="auto")
    told = json.loads(shown.stdout)
    assert (told["engine"], told["model"], told["base_url"]) == ("openai", "qwen", server.url)
    assert file.read_text().endswith('\n[prices]\n"model" = [1, 2]\n')
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
        ("", ("local",), "Another setting decides"),
        ('engine = "local"\n', ("http://localhost:1/v1", "m"), "Another setting decides"),
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


LLAMA = {"/props": {"default_generation_settings": {"n_ctx": 100_000}}}
SMALL = {"/props": {"default_generation_settings": {"n_ctx": 4_096}}}
CHOSEN = {"context_tokens": 6_000}


@pytest.mark.parametrize(
    ("pages", "chosen", "given"),
    [
        (SMALL, CHOSEN, 4_096 - BESIDE),
        (LLAMA, CHOSEN, 6_000),
        (LLAMA, {}, FIRST_CONTEXT),  # nobody knows how fast it reads
        ({}, {}, 6_000),
    ],
)
def test_a_server_is_given_what_fits_and_little_until_it_was_timed(pages, chosen, given):
    with ScriptedServer(pages=pages) as server:
        assert connect(server, **chosen).document_tokens(6_000) == given


@pytest.mark.parametrize(
    ("pages", "chosen", "slow", "less"),
    [
        (LLAMA, {}, 1e9, True),
        (LLAMA, CHOSEN, 1e9, False),
        ({}, {}, 1e9, False),
        (LLAMA, {}, 1, False),
    ],
)
def test_a_server_of_this_machine_that_reads_slowly_is_given_less_unless_told_otherwise(
    pages, chosen, slow, less, monkeypatch
):
    monkeypatch.setattr("rag.engines.openai.server.SLOW", slow)
    monkeypatch.setattr("rag.engines.openai.server.PATIENCE", 0.0)
    with ScriptedServer(text("Yes [1].", usage=(5_000, 5)), pages=pages) as server:
        engine = connect(server, **chosen)
        engine.generate(answering(), lambda _: None)
        assert bool(engine.chat.server.known.reads) is bool(pages)
        assert engine.document_tokens(6_000) == (LEAST_CONTEXT if less else 6_000)
