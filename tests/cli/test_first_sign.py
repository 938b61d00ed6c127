"""A terminal shows at once that something goes on; nothing of it stays, and no file gets it."""

import os
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from chat_samples import crag, environment, make_home
from forked_program import crag_program
from screen import Screen

SIGN = "⠋ starting…"
QUESTION = "How high is the Gillfoot Viaduct?"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make_home(tmp_path_factory.mktemp("sign"))


def in_terminal(*words, **variables):
    child = pexpect.spawn(
        crag_program(), list(words), env=variables, encoding="utf-8", dimensions=(30, 100)
    )
    child.expect(pexpect.EOF, timeout=120)
    child.close()
    return child.before


@pytest.mark.parametrize("command", ["ask", "search", "research", "chat"])
def test_it_stands_before_anything_heavy_is_imported(home, tmp_path, command):
    (tmp_path / "pydantic.py").write_text("import sys; sys.stdin.read()")
    slow = environment(home, PYTHONPATH=f"{tmp_path}{os.pathsep}{Path.cwd()}")
    words = [command] if command == "chat" else [command, QUESTION]
    child = pexpect.spawn(sys.executable, ["-m", "cli", *words], env=slow, encoding="utf-8")
    child.expect_exact(SIGN, timeout=60)
    child.close(force=True)


@pytest.mark.parametrize(
    "words",
    [
        ["ask", QUESTION],
        ["ask", QUESTION, "--trace"],
        ["ask", QUESTION, "--json"],
        ["search", QUESTION],
        ["ask", QUESTION, "--collection", "none"],
        ["ask", QUESTION, "--k", "0"],
        ["research", QUESTION],
    ],
)
def test_it_gives_way_to_whatever_comes(home, words):
    shown = in_terminal(*words, **environment(home))
    assert shown.startswith(SIGN)
    screen = Screen(100)
    screen.feed(shown)
    assert "starting" not in screen.text
    assert screen.text.strip()


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        (["ask", QUESTION, "--quiet"], {}),
        (["ask", QUESTION], {"TERM": "dumb"}),
        (["ask", "--help"], {}),
        (["config", "show"], {}),
    ],
)
def test_it_is_not_shown_where_it_would_be_in_the_way(home, words, variables):
    assert "starting" not in in_terminal(*words, **environment(home, **variables))


def test_a_warning_stands_on_a_line_of_its_own(home):
    shown = in_terminal("ask", QUESTION, **environment(home, CRAG_ENGIN="local"))
    screen = Screen(200)
    screen.feed(shown)
    assert "warning: nothing reads the variable CRAG_ENGIN." in screen.text
    assert "starting" not in screen.text


def test_a_pipe_never_gets_it(home):
    done = subprocess.run(
        [crag_program(), "ask", QUESTION],
        env=environment(home),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "starting" not in done.stdout + done.stderr
    assert "starting" not in crag(home, "ask", QUESTION).output


def test_a_question_that_is_typed_is_waited_for_without_it(home):
    child = pexpect.spawn(
        sys.executable, ["-m", "cli", "ask", "-"], env=environment(home), encoding="utf-8"
    )
    child.sendline(QUESTION)
    child.sendeof()
    child.expect(pexpect.EOF, timeout=120)
    assert "starting" not in child.before
    assert "31 metres" in child.before
