"""`crag config`: every setting with its value, source and default; where they are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cli import options
from cli.app import new_app
from cli.terminal import Terminal
from state.errors import UsageError

app = new_app("Show, locate or start the settings file.", no_args_is_help=True)


@app.command()
def show(
    config: options.Config = None, home: options.Home = None, json_: options.Json = False
) -> None:
    """Print every key, its value, where that comes from, and its default."""
    from state.settings_report import describe_settings

    terminal = Terminal()
    rows = describe_settings({"home": home}, config)
    if json_:
        terminal.json({"schema": "crag.config/1", "settings": rows})
        return
    width = max(len(row["key"]) for row in rows)
    for row in rows:
        changed = "" if row["source"] == "default" else f"   [{row['source']}]"
        terminal.beside(f"{row['key']:<{width}}  ", f"{row['value']}{changed}")
        terminal.beside(f"{'':<{width}}  ", f"{row['description']}; default {row['default']}")


@app.command()
def path(config: options.Config = None, json_: options.Json = False) -> None:
    """Print the settings file's path, whether or not it exists."""
    from state.user_folders import default_config_file

    terminal = Terminal()
    file = config or default_config_file()
    if json_:
        terminal.json({"schema": "crag.config-path/1", "path": str(file), "exists": file.exists()})
    else:
        terminal.out(str(file))


@app.command()
def init(
    config: options.Config = None,
    force: Annotated[bool, options.switch("--force", "Replace an existing file.")] = False,
) -> None:
    """Write a settings file with every key commented out at its default."""
    from state.settings_report import settings_template
    from state.user_folders import default_config_file

    file = config or default_config_file()
    if file.exists() and not force:
        raise UsageError(f"{file} exists already.", "Add --force to replace it.")
    _write_private(file, settings_template())
    Terminal().out(str(file))


def _write_private(file: Path, text: str) -> None:
    """The file may come to hold a key: its owner alone may read it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")
