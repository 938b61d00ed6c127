"""`crag schema`: the JSON Schema of the lines that `--events` prints."""

from __future__ import annotations

from cli.app import new_app
from cli.terminal import Terminal

app = new_app()


@app.command()
def schema() -> None:
    """Print the JSON Schema of the lines of --events."""
    import json

    from rag.event_schema import event_schema

    Terminal().out(json.dumps(event_schema(), indent=1, ensure_ascii=False))
