"""`crag config`: every setting with its value, source and default; where they are kept."""

from __future__ import annotations

from cli import options
from cli.app import DefaultGroup, new_app
from state.choices import default_config_file
from state.errors import UsageError

app = new_app("Show, locate or start the settings file.", cls=DefaultGroup)


@options.command(app)
def show(given: options.Shared, json_: options.Json = False) -> None:
    """Print every key, its value, where that comes from, and its default."""
    from state.settings_report import describe_settings

    terminal = given.terminal
    rows = describe_settings(given.flags, given.config)
    if json_:
        terminal.json({"schema": "crag.config/1", "settings": rows})
        return
    width = max(len(row["key"]) for row in rows) + 2
    for row in rows:
        changed = "" if row["source"] == "default" else f"   [{row['source']}]"
        terminal.wrapped(f"{row['key']:<{width}}{row['value']}{changed}", width)
        terminal.wrapped(f"{'':<{width}}{row['description']}; default {row['default']}", width)


@options.command(app)
def path(given: options.Shared, json_: options.Json = False) -> None:
    """Print the settings file's path, whether or not it exists."""
    file = given.config or default_config_file()
    if json_:
        found = {"path": str(file), "exists": file.exists()}
        given.terminal.json({"schema": "crag.config-path/1", **found})
    else:
        given.terminal.out(str(file))


@options.command(app)
def init(given: options.Shared) -> None:
    """Write a settings file with every key commented out at its default."""
    from state.settings_report import settings_template, write_settings

    file = given.config or default_config_file()
    if file.exists():
        raise UsageError(f"{file} exists already.", "Remove it to start a new one.")
    write_settings(file, settings_template())
    given.terminal.out(str(file))
