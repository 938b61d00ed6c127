"""`crag chat` in a real pseudo-terminal."""

from __future__ import annotations

import json
import re
import signal
import socket
import time

import pexpect
import pytest
from chat_samples import (
    GIVEN_BACK,
    chat_in_terminal,
    crag,
    entered,
    environment,
    make_home,
    prompted,
)
from forked_program import crag_program
from scripted_server import ScriptedServer, hang


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make_home(tmp_path_factory.mktemp("chat"))


def turns(home, thread):
    shown = crag(home, "threads", "show", thread, "--json")
    return json.loads(shown.stdout)["turns"] if shown.exit_code == 0 else []


def say(child, line, *expected):
    """Send a line, wait for all of `expected` in order and then for the next prompt; return
    what was shown.
    """
    entered(child, line)
    shown = ""
    for words in expected:
        child.expect(r"\s+".join(map(re.escape, words.split())))
        shown += child.before + child.after
    return shown + prompted(child)


def leave(child):
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def test_a_conversation(home, tmp_path):
    child = chat_in_terminal(home, "-t", "pty")
    say(child, "How high is the Gillfoot Viaduct?", "31 metres")
    say(child, "And how long is it?", "212 metres")
    say(child, "/sources", "viaduct.md")
    say(child, "/open 1", "> ", "212 metres long")
    say(child, "/pin 1", "is now pinned")
    say(child, "/history", "1. How high is the Gillfoot Viaduct? (pinned)")
    say(child, "/trace", "viaduct.md")
    say(child, "/set max_loops 0", "max_loops is 0")
    say(child, "/set k 0", "--k")
    say(child, "/collection", "default")
    say(child, "/collection nosuch", "no collection")
    say(child, "/cost", "0 model calls")
    say(child, f"/save {tmp_path / 'talk.md'}", "Wrote")
    assert "212 metres" in (tmp_path / "talk.md").read_text()
    say(child, "/retry", "212 metres")
    say(child, "/new other", "a new thread")
    say(child, "/thread pty", "On pty, 3 turns")
    say(child, "/help", "/exit")
    assert leave(child) == 0
    assert [turn["milestone"] for turn in turns(home, "pty")] == [True, False, False]


def test_small_talk_help_and_leaving_need_no_command(home):
    child = chat_in_terminal(home, "-t", "small")
    say(child, "/open", "Nothing was answered on this thread yet.")
    say(child, "hello", "Hello.")
    say(child, "/sources", "The last answer cites nothing.")
    say(child, "How high is the Gillfoot Viaduct?", "31 metres")
    understood = "Understood as: And how long is it? (Gillfoot Viaduct)"
    say(child, "And how long is it?", understood, "212 metres")
    say(child, "ok, thanks!", "You are welcome.")
    say(child, "/sources", "Of turn 3, “And how long is it?”:", "viaduct.md")
    say(child, "/open", "viaduct.md", "212 metres long")
    say(child, "what did I ask first?", "How high is the Gillfoot Viaduct?")
    say(child, "What documents do you have?", "default holds 3 documents:", "- Fares", "in full by")
    say(child, "?", "/sources")
    entered(child, "exit")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    child = chat_in_terminal(home, "--continue")
    say(child, "/thread", "On small, 6 turns, asking default.")
    say(child, "what did I ask last?", "And how long is it?")
    assert leave(child) == 0


def test_editing_history_and_completion(home):
    child = chat_in_terminal(home, "-t", "edit")
    child.send("How high is\\\r")  # a backslash, then Enter: the question goes on
    say(child, "the Gillfoot Viaduct?", "31 metres")
    child.send("/hist")
    child.expect_exact("The last turns of the thread")  # the menu is open
    child.send("\t")
    child.expect_exact("ory")
    say(child, "", "1. How high is the Gillfoot Viaduct?")
    child.send("\x1b[A\x1b[A")  # the last line but one
    child.expect("Gillfoot")
    say(child, "", "31 metres")
    child.send("viad\t")
    child.expect_exact("viaduct.md")
    child.send("\x03")  # Ctrl-C at the prompt drops the line and stays
    child.expect_exact("Ctrl-D leaves.")
    prompted(child)
    entered(child, "/exit")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    questions = [turn["answer"]["question"] for turn in turns(home, "edit")]
    assert questions == ["How high is\nthe Gillfoot Viaduct?"] * 2
    assert (home / "chat_history").stat().st_mode & 0o077 == 0


def test_ctrl_c_cancels_the_turn_and_leaves_the_thread_whole(home):
    with ScriptedServer(always=hang()) as server:
        child = chat_in_terminal(
            home,
            "-t",
            "cut",
            "--engine",
            "openai",
            CRAG_BASE_URL=server.url,
            CRAG_API_KEY="sk-test",
            CRAG_MAX_RETRIES="0",
        )
        entered(child, "How high is the Gillfoot Viaduct?")
        deadline = time.monotonic() + 120
        while not server.requests:  # reading on, or what is shown meanwhile fills the terminal
            assert time.monotonic() < deadline
            assert child.expect([pexpect.TIMEOUT, pexpect.EOF], timeout=0.1) == 0
        child.send("\x03")
        child.expect_exact("Nothing was kept")
        prompted(child)
        say(child, "/set engine local", "engine is local")
        say(child, "How high is the Gillfoot Viaduct?", "31 metres")
        assert leave(child) == 0
    (turn,) = turns(home, "cut")
    assert turn["turn"] == 1
    assert turn["answer"]["loop_count"] <= turn["answer"]["max_loops"]


@pytest.mark.parametrize("asked", [False, True])
def test_a_chat_that_is_told_to_end_does_so_and_gives_the_terminal_back(home, asked):
    with ScriptedServer(always=hang()) as server:
        child = chat_in_terminal(
            home, "-t", "ended", "--engine", "openai", CRAG_BASE_URL=server.url
        )
        assert not child.getecho()
        if asked:
            entered(child, "How high is the Gillfoot Viaduct?")
            deadline = time.monotonic() + 120
            while not server.requests:
                assert time.monotonic() < deadline
                assert child.expect([pexpect.TIMEOUT, pexpect.EOF], timeout=0.1) == 0
        else:
            child.send("half a line")
            child.expect_exact("line")
        child.kill(signal.SIGTERM)
        if not asked:
            child.expect_exact(GIVEN_BACK)
        child.expect_exact("crag: interrupted.")
        deadline = time.monotonic() + 10
        while not child.getecho():
            assert time.monotonic() < deadline
        child.expect(pexpect.EOF)
        child.close()
    assert child.exitstatus == 130
    assert turns(home, "ended") == []


def test_escapes_of_documents_and_questions_never_reach_the_terminal(home):
    child = chat_in_terminal(home, "-t", "evil")
    shown = say(child, "What does a return ticket for a child cost?", "9 crowns")
    shown += say(child, "/open 1", "9 crowns")
    shown += say(child, "/history", "1. What does")
    assert leave(child) == 0
    assert "\x1b]0;" not in shown
    assert "\x07" not in shown
    assert "\x1b[2J" not in shown
    assert "\x9b" not in shown


def asked_in_terminal(home, *words, command=("ask",), **more):
    """What `crag ask` writes to a terminal of 60 columns, as bytes come."""
    child = pexpect.spawn(
        crag_program(),
        [*command, *words],
        env=environment(home, COLUMNS="60", **more),
        encoding="utf-8",
        timeout=120,
        dimensions=(40, 60),
    )
    child.expect(pexpect.EOF)
    child.close()
    return child.before


def test_a_cited_place_is_a_link_that_opens_the_file_at_its_line(home):
    path = home.parent / "documents" / "viaduct.md"
    shown = asked_in_terminal(home, "How high is the Gillfoot Viaduct?")
    assert re.search(
        rf"\x1b\]8;id=\d+;file://[^/]*{path}#3\x1b\\viaduct.md:3(-\d+)?\x1b\]8;;\x1b", shown
    )
    code = {"CRAG_LINKS": "vscode://file{path}:{line}"}
    shown = asked_in_terminal(home, "How high is the Gillfoot Viaduct?", **code)
    assert f";vscode://file{path}:3\x1b" in shown
    crag(home, "ask", "How high is the Gillfoot Viaduct?", "-t", "links")
    link = f";file://{socket.gethostname()}{path}#3\x1b"
    assert link in asked_in_terminal(home, "links", command=["threads", "show"])
    child = chat_in_terminal(home, "-t", "links")
    say(child, "/sources", link)
    say(child, "/open 1", link)
    entered(child, "/quit")
    child.expect(pexpect.EOF)
    for off in ({"CRAG_LINKS": "none"}, {"TERM": "dumb"}):
        shown = asked_in_terminal(home, "How high is the Gillfoot Viaduct?", **off)
        assert "\x1b]8" not in shown
        assert "viaduct.md:3" in shown
    refused = asked_in_terminal(home, "How high?", CRAG_LINKS="file://{nothing}")
    assert "CRAG_LINKS is unusable" in refused


def test_an_answer_is_wrapped_at_words_on_a_terminal(home):
    shown = asked_in_terminal(home, "How high is the Gillfoot Viaduct?", CRAG_LINKS="none")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    piped = crag(home, "ask", "How high is the Gillfoot Viaduct?").stdout
    assert max(map(len, piped.splitlines())) > 60
    lines = [line.rstrip() for line in plain.splitlines()]
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines).split()).endswith(" ".join(piped.split()))
    crag(home, "ask", "How high is the Gillfoot Viaduct?", "-t", "wrapped")
    shown = asked_in_terminal(home, "wrapped", command=["threads", "show"], CRAG_LINKS="none")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert max(len(line.rstrip()) for line in plain.splitlines()) <= 60
    assert " ".join(piped.split()) in " ".join(plain.split())
