"""How the stream of `--events` ends where a run fails: with a line that says so."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from cli.variables import is_on

STREAMING = ("ask", "research", "ingest")


def end_events(arguments: Sequence[str], error: str, line: str, code: int) -> None:
    """Print the `error` event, where the command line asked for events."""
    if not _asked(arguments):
        return
    event = {
        "event": "error",
        "error": error,
        "message": line.removeprefix("crag: "),
        "exit_code": int(code),
    }
    try:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    except OSError:  # nobody reads any more; the exit code says it too
        return


def _asked(arguments: Sequence[str]) -> bool:
    flags = list(arguments)[: arguments.index("--")] if "--" in arguments else arguments
    if not flags or flags[0] not in STREAMING:
        return False
    return "--events" in flags or is_on("CRAG_EVENTS")
