"""`crag ask` where a person sits: without a question; several collections."""

from __future__ import annotations

import json

import pexpect
import pytest
from chat_samples import crag, entered, environment, make_home, prompted
from forked_program import crag_program

HIGH = "How high is the Gillfoot Viaduct?"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make_home(tmp_path_factory.mktemp("ask"))


def spawn(home, *words, **more):
    return pexpect.spawn(
        crag_program(),
        list(words),
        env=environment(home, **more),
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 120),
    )


def test_without_a_question_a_terminal_gets_the_chat_with_its_flags(home):
    child = spawn(home, "ask", "-t", "begun", "--files", "viaduct*")
    assert "On thread begun, default with 1 document." in prompted(child)
    entered(child, HIGH)
    child.expect("31 metres")
    prompted(child)
    child.sendeof()
    child.expect(pexpect.EOF)
    assert "31 metres" in crag(home, "threads", "show", "begun").stdout


@pytest.mark.parametrize("flag", ["--json", "--pin", "--ok-abstain"])
def test_a_flag_of_one_answer_begins_no_chat(home, flag):
    child = spawn(home, "ask", flag)
    child.expect("There is no question. Type one, or pipe it in with '-'.")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 2


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_without_a_question_and_a_terminal_it_is_a_mistake(home, words):
    done = crag(home, "ask", *words, stdin=HIGH)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "There is no question. Type one, or pipe it in with '-'." in done.stderr


def test_what_was_typed_before_is_found_by_ctrl_r(home):
    child = spawn(home, "chat", "-t", "searched")
    prompted(child)
    for line in (HIGH, "What does a return ticket cost?"):
        entered(child, line)
        prompted(child)
    child.send("\x12Gillf")
    child.expect("i-search")
    child.send("\r")
    child.expect("31 metres")
    prompted(child)
    child.sendeof()
    child.expect(pexpect.EOF)


def test_a_thread_goes_on_with_the_collections_that_it_asked(home, tmp_path):
    (tmp_path / "tunnel.md").write_text(
        "# Corbel Tunnel\n\nThe Corbel Tunnel is 412 metres long.\n"
    )
    assert crag(home, "ingest", "-c", "tunnels", str(tmp_path)).exit_code == 0
    asked = crag(home, "ask", HIGH, "-c", "default,tunnels", "-t", "both", "--json")
    assert json.loads(asked.stdout)["citations"][0]["source"] == "default:viaduct.md"
    more = crag(home, "ask", "How long is the Corbel Tunnel?", "-t", "both")
    assert "Asking default,tunnels, as thread both did." in more.stderr
    assert "[1] tunnels:tunnel.md:3" in more.stdout
    assert crag(home, "open", "1").stdout == f"{tmp_path}/tunnel.md\n"
    replayed = crag(home, "trace", "replay", "last", "--json")
    assert json.loads(replayed.stdout)["differences"] == []
    refused = crag(home, "ingest", "-c", "default,tunnels", str(tmp_path))
    assert refused.exit_code == 2
    assert "takes one collection" in refused.stderr


@pytest.mark.parametrize("words", [("ask", HIGH), ("search", "x"), ("status",)])
def test_a_collection_that_is_not_there_names_the_nearest(home, words):
    done = crag(home, *words, "-c", "defualt")
    assert done.exit_code == 2
    assert "There is no collection 'defualt'. Did you mean 'default'?" in done.stderr
