"""`crag chat` and `crag ask` in a real pseudo-terminal."""

import re
import signal
import time
from io import StringIO

import pexpect
from crag import (
    HIGH,
    chat_in_terminal,
    crag,
    ended,
    entered,
    in_terminal,
    leave,
    prompted,
    say,
    shown_in_terminal,
    turns,
)
from openai_samples import with_model
from scripted_server import ScriptedServer, hang

from cli.render.live import LiveAnswer
from cli.terminal import Terminal


def test_a_conversation(home):
    child = chat_in_terminal(home, "-t", "pty")
    say(child, HIGH, "31 metres")
    say(child, "And how long is it?", "212 metres")
    say(child, "/sources", "viaduct.md")
    say(child, "/open 1", "> ", "212 metres long")
    say(child, "/open x", "no citation [x]")
    say(child, "/trace", "viaduct.md")
    say(child, "/set max_loops 0", "max_loops is 0")
    say(child, "/set k 0", "--k")
    say(child, "/set collection nosuch", "no collection")
    say(child, "/set", "collection", "default")
    say(child, "/cost", "There is no command /cost.")
    say(child, "/new other", "New thread other")
    say(child, "/thread pty", "pty: 2 turns")
    say(child, "/help", "/exit")
    assert leave(child, "/quit") == 0
    assert len(turns(home, "pty")) == 2


def test_small_talk_help_and_leaving_need_no_command(home):
    child = chat_in_terminal(home, "-t", "small")
    say(child, "/open", "Nothing was answered on this thread yet.")
    say(child, "hello", "Hello.")
    say(child, "/sources", "The last answer cites nothing.")
    say(child, HIGH, "31 metres")
    say(child, "ok, thanks!", "You are welcome.")
    say(child, "/sources", "The last answer cites nothing.")
    understood = f"Understood as: And how long is it? ({HIGH})"
    say(child, "And how long is it?", understood, "212 metres")
    say(child, "help", "/sources")
    say(child, "?", "/sources")
    assert leave(child, "exit") == 0
    child = chat_in_terminal(home, "--continue")
    say(child, "/thread", "small: 4 turns, asking default with")
    assert leave(child) == 0


def test_editing_and_history(home):
    child = chat_in_terminal(home, "-t", "edit")
    child.send("How high is\x1b\r")  # Alt-Enter: the question goes on
    say(child, "the Gillfoot Viaduct?", "31 metres")
    say(child, "/sources", "viaduct.md")
    child.send("\x1b[A\x1b[A")  # the last line but one
    child.expect("Gillfoot")
    say(child, "", "31 metres")
    child.send("\x12Gillf")  # Ctrl-R, whose first Enter takes what was found
    child.expect("i-search")
    child.send("\r")
    say(child, "", "31 metres")
    child.send("half a line\x03")  # Ctrl-C at the prompt drops the line and stays
    child.expect_exact("Ctrl-D leaves.")
    prompted(child)
    assert leave(child, "/exit") == 0
    questions = [turn["answer"]["question"] for turn in turns(home, "edit")]
    assert questions == ["How high is\nthe Gillfoot Viaduct?"] * 3
    assert (home / "chat_history").stat().st_mode & 0o077 == 0


def test_a_dumb_terminal_is_only_written_to_in_order(home):
    child = in_terminal(home, "chat", "-t", "dumb", TERM="dumb")
    shown = ""
    for line, told in ((HIGH + "\n", "31 metres"), ("half a line\x03", "Ctrl-D leaves.")):
        child.send(line)
        child.expect_exact(told)
        shown += child.before
    child.send("/quit\n")
    assert ended(child) == 0
    assert "\x1b" not in shown + child.before
    assert len(turns(home, "dumb")) == 1


def test_ctrl_c_cancels_the_turn_and_leaves_the_thread_whole(home):
    with ScriptedServer(always=hang()) as server:
        child = chat_in_terminal(home, "-t", "cut", **with_model(server))
        entered(child, HIGH)
        deadline = time.monotonic() + 60
        while not server.requests:  # reading on, or what is shown meanwhile fills the terminal
            assert time.monotonic() < deadline
            assert child.expect([pexpect.TIMEOUT, pexpect.EOF], timeout=0.1) == 0
        child.send("\x03")
        child.expect_exact("Cancelled.")
        prompted(child)
        say(child, "/set engine local", "engine is local")
        say(child, HIGH, "31 metres")
        assert leave(child) == 0
    (turn,) = turns(home, "cut")
    assert turn["turn"] == 1
    assert turn["answer"]["loop_count"] <= turn["answer"]["max_loops"]


def test_escapes_of_documents_and_questions_never_reach_the_terminal(home):
    child = chat_in_terminal(home, "-t", "evil")
    shown = say(child, "What does a return ticket for a child cost?", "9 crowns")
    shown += say(child, "/open 1", "9 crowns")
    assert leave(child) == 0
    for escape in ("\x1b]0;", "\x07", "\x1b[2J", "\x9b"):
        assert escape not in shown


def test_no_color_is_obeyed(home):
    def colours(**variables):
        return re.findall(r"\x1b\[[\d;]*3\dm", shown_in_terminal(home, "trace", **variables)[0])

    crag(home, "ask", HIGH)
    assert colours()
    assert not colours(NO_COLOR="1")


def test_before_something_is_deleted_a_person_is_asked(home):
    crag(home, "ask", HIGH, "-t", "kept")
    for reply, code, words in (("n", 1, "Nothing was changed."), ("\x03", 130, "interrupted")):
        child = in_terminal(home, "threads", "delete", "kept")
        child.expect_exact("Forget thread 'kept' with its 1 turn?")
        child.send(f"{reply}\r" if reply == "n" else reply)
        child.expect(words)
        assert (ended(child), len(turns(home, "kept"))) == (code, 1)


def test_an_interrupt_breaks_off_nothing_that_is_being_drawn():
    before = signal.getsignal(signal.SIGINT)
    with LiveAnswer(Terminal(), trace=False, stream=False) as live:
        signal.raise_signal(signal.SIGINT)
    assert isinstance(live.cancel.items.get_nowait().error, KeyboardInterrupt)
    assert signal.getsignal(signal.SIGINT) is before


def test_of_a_draft_longer_than_the_screen_no_more_is_drawn_than_can_be_taken_back(monkeypatch):
    lines, screen = 6, StringIO()
    monkeypatch.setattr("sys.stdout", screen)
    for name, value in (("COLUMNS", "40"), ("LINES", str(lines)), ("FORCE_COLOR", "1")):
        monkeypatch.setenv(name, value)
    with LiveAnswer(Terminal(), trace=False, stream=True) as live:
        for number in range(60):
            live.show({"event": "token", "text": f"line {number}\n"})
        deadline = time.monotonic() + 10
        while "line 1" not in screen.getvalue():  # a frame is drawn twenty times a second
            assert time.monotonic() < deadline
    assert f"line {lines + 1}" not in screen.getvalue()
