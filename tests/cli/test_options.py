from __future__ import annotations

import pytest
from typer.testing import CliRunner

from cli.app import SETTINGS
from cli.command_table import COMMANDS
from cli.lazy import command_of
from cli.program import app
from cli.question_input import checked_question
from state.settings import Settings


def long_options():
    for name in COMMANDS:
        command = command_of(name)
        for each in getattr(command, "commands", {name: command}).values():
            for option in each.params:
                for flag in option.opts:
                    if flag.startswith("--"):
                        yield flag[2:], option


def test_every_long_option_has_its_variable_read_once():
    fields = {name.replace("_", "-") for name in Settings.model_fields}
    named = dict(long_options())
    assert named.keys() & fields == SETTINGS
    for flag, option in long_options():
        twin = None if flag in SETTINGS else f"CRAG_{flag.upper().replace('-', '_')}"
        assert option.envvar == twin


@pytest.mark.parametrize("given", [["--debug"], []])
def test_a_traceback_is_printed_where_it_was_asked_for(given, tmp_path, monkeypatch):
    if not given:
        monkeypatch.setenv("CRAG_DEBUG", "1")
    done = CliRunner().invoke(app, ["search", "x", "--home", str(tmp_path / "none"), *given])
    assert done.exit_code == 4
    assert "Traceback (most recent call last)" in done.stderr


def test_no_traceback_is_printed_where_it_was_not(tmp_path, monkeypatch):
    monkeypatch.setenv("CRAG_DEBUG", "0")
    done = CliRunner().invoke(app, ["search", "x", "--home", str(tmp_path / "none")])
    assert done.exit_code == 4
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "pasted",
    [
        "\x1b[31mred\x1b[0m tape?",
        "\x1b]8;;http://a\x07red\x1b]8;;\x07 tape?",
        "\x1b[38;5;1mred\x1b(B tape?",
        "\x1b[200~red tape?\x1b[201~",
    ],
)
def test_a_terminals_sequences_pasted_with_a_question_are_no_words_of_it(pasted):
    assert checked_question(pasted) == "red tape?"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_line_in_the_list_begins_its_help(name):
    short = COMMANDS[name]
    assert " ".join(command_of(name).help.split("\n\n")[0].split()) == short


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_of_a_list_of_commands_is_cut(name):
    listed = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "80"}).stdout
    lines = listed.partition("\nCommands:\n")[2].splitlines()
    assert [line for line in lines if line.endswith("...")] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_long_name(name):
    command = command_of(name)
    for each in getattr(command, "commands", {name: command}).values():
        options = [param for param in each.params if param.param_type_name == "option"]
        short = [param.opts for param in options if not any(o[:2] == "--" for o in param.opts)]
        assert (len(options) > 0, short) == (True, [])
