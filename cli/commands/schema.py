"""`crag schema`: the JSON Schema of the lines that `--events` prints."""

from __future__ import annotations

from pathlib import Path

import typer

from cli.app import new_app

app = new_app()


@app.command()
def schema() -> None:
    """Print the JSON Schema of the lines of --events."""
    import state.events

    file = Path(state.events.__file__).with_name("events.schema.json")
    typer.echo(file.read_text(encoding="utf-8"), nl=False)
