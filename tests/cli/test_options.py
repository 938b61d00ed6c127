import pytest
from crag import crag

from cli.app import COMMANDS, command_of
from cli.options import SETTINGS
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
    settings = {name.replace("_", "-") for name in SETTINGS}
    fields = {name.replace("_", "-") for name in Settings.model_fields}
    assert {flag for flag, _ in long_options()} & fields == settings
    for flag, option in long_options():
        twin = None if flag in settings else f"CRAG_{flag.upper().replace('-', '_')}"
        assert option.envvar == twin


@pytest.mark.parametrize(
    ("given", "variable", "asked"), [(["--debug"], "0", True), ([], "1", True), ([], "0", False)]
)
def test_a_traceback_is_printed_where_it_was_asked_for(given, variable, asked, tmp_path):
    done = crag(tmp_path / "none", "search", "x", *given, CRAG_DEBUG=variable)
    assert done.exit_code == 4
    assert ("Traceback (most recent call last)" in done.stderr) is asked
