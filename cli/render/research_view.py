"""A research run while it goes on, with a line for each event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.filesize import decimal

from cli.terminal import Terminal
from state.wording import many

if TYPE_CHECKING:
    from state.research_state import ResearchEvent


def event_line(event: Mapping[str, Any]) -> str | None:
    """The line for an event; None if there is nothing to say of it."""
    line: str | None = None
    match event["event"]:
        case "research_started":
            line = f"research {event['run_id']}: {event['question']}"
        case "planned":
            line = f"round {event['round']}: {many(len(event['subtasks']), 'subtask')} planned"
        case "subtask_started":
            line = f"  {event['subtask']['role']}: {event['subtask']['instruction']}"
        case "subtask_finished":
            line = f"  {event['status']}: {event['artifact']} ({_found(event)})"
        case "warned":
            line = f"warning: {event['line']}"
        case "reflected":
            line = f"round {event['round']} → {event['decision']}: {event['reason']}"
            if event.get("open"):
                line += f" (still open: {'; '.join(event['open'])})"
    return line


def show_event(event: ResearchEvent, terminal: Terminal) -> None:
    """Print an event's line on stderr; warnings are printed with the report."""
    if event["event"] != "warned" and (line := event_line(event)):
        terminal.notice(line)


def _found(event: Mapping[str, Any]) -> str:
    missing = event.get("missing", [])
    found = f"{many(event['citations'], 'citation')}, {decimal(event['bytes'])}"
    return found + (f", {len(missing)} not found" if missing else "")
