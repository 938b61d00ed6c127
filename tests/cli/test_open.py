"""`crag open`: a cited place in the person's editor, on the terminal, or on standard output."""

from __future__ import annotations

import json
import re
import sys

import pytest
from crag import LONG, copied_home, crag, make_home, shown_in_terminal

from cli.commands.open import opening_command


@pytest.fixture
def home(tmp_path):
    home = copied_home(tmp_path)
    assert crag(home, "ask", LONG).exit_code == 0
    return home


@pytest.fixture
def editor(tmp_path):
    """One that notes what it was started with, under the name of one that knows lines."""
    program = tmp_path / "nano"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\n"
        "print('EDIT', oct(os.umask(0)), *sys.argv[1:], os.isatty(0))\n"
    )
    program.chmod(0o755)
    return program


def test_the_editor_is_given_the_file_and_its_line_and_the_persons_umask(home, editor):
    shown, code = shown_in_terminal(home, "open", "1", VISUAL="", EDITOR=f"{editor} -w")
    assert code == 0
    assert "EDIT 0o22 -w +3" in shown or "EDIT 0o2 -w +3" in shown
    assert "viaduct.md True" in shown


def test_an_editor_that_fails_or_is_missing_is_told_in_one_line(home):
    shown, code = shown_in_terminal(home, "open", VISUAL="", EDITOR="/nowhere/ed")
    assert (shown.strip().splitlines()[-1], code) == (
        "crag: /nowhere/ed cannot be started: No such file or directory. Set EDITOR.",
        4,
    )
    shown, code = shown_in_terminal(home, "open", EDITOR="", VISUAL="false")
    assert (shown.strip().splitlines()[-1], code) == ("crag: false ended with code 1.", 4)
    shown, code = shown_in_terminal(home, "open", VISUAL="", EDITOR="vim '")
    assert (shown.strip().splitlines()[-1], code) == (
        'crag: The editor "vim \'" is no command: No closing quotation. Set EDITOR.',
        4,
    )


def test_elsewhere_than_on_a_terminal_the_path_is_printed(home):
    assert crag(home, "open", "1").stdout.endswith("documents/viaduct.md\n")


def test_without_an_editor_the_quote_is_shown_in_its_place(home):
    shown, code = shown_in_terminal(home, "open", VISUAL="", EDITOR="")
    assert code == 0
    assert "documents/viaduct.md" in shown.replace("\r\n", "")
    assert re.search(r">\s+5  The Gillfoot Viaduct is 212 metres long", shown)


def test_what_cannot_be_opened_is_said(home, tmp_path):
    assert "has no citation [7]. It has 1 citation." in crag(home, "open", "7").stderr
    assert crag(home, "open", "7").exit_code == 2
    assert "no trace" in crag(tmp_path, "open").stderr.lower()


def test_an_answer_that_cites_nothing_leaves_nothing_to_open(home):
    before = json.loads(crag(home, "trace", "list", "--json").stdout)["traces"][0]["trace_id"]
    assert crag(home, "ask", "thanks!").exit_code == 0
    assert "It cites nothing." in crag(home, "open").stderr
    opened = crag(home, "open", "--trace", before)
    assert opened.stdout.endswith("documents/viaduct.md\n")


def test_a_file_that_has_gone_is_said(tmp_path):
    home = make_home(tmp_path)
    assert crag(home, "ask", LONG).exit_code == 0
    (tmp_path / "documents" / "viaduct.md").unlink()
    gone = crag(home, "open", "1")
    assert gone.exit_code == 2
    assert "viaduct.md is gone; it was cited." in gone.stderr


@pytest.mark.parametrize(
    ("editor", "arguments"),
    [
        ("vim", ["+3", "{}"]),
        ("code --wait", ["--wait", "--goto", "{}:3"]),
        ("hx", ["{}:3"]),
        ("unheard-of", ["{}"]),
    ],
)
def test_an_editor_is_told_the_line_as_it_takes_it(editor, arguments, tmp_path):
    file = tmp_path / "a b.md"
    expected = [each.format(file) for each in arguments]
    assert opening_command(editor, file, 3)[1:] == expected


def test_what_is_no_text_is_shown_as_it_was_read(tmp_path):
    home = make_home(tmp_path)
    assert crag(home, "ask", LONG).exit_code == 0
    (tmp_path / "documents" / "viaduct.md").write_bytes(b"%PDF\0")
    shown, code = shown_in_terminal(home, "open", VISUAL="", EDITOR="false")
    assert code == 0
    assert "212 metres long" in shown
