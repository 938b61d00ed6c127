"""A research run as it goes on, a line an event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.filesize import decimal

from cli.terminal import Terminal
from state.research_events import ResearchEvent
from state.wording import many


def event_line(event: Mapping[str, Any]) -> str | None:
    """What there is to say of one event."""
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
    """A line on stderr for what there is to say; the report's end tells the warnings."""
    if event["event"] != "warned" and (line := event_line(event)):
        terminal.notice(line)


def _found(event: Mapping[str, Any]) -> str:
    missing = event.get("missing", [])
    found = f"{many(event['citations'], 'citation')}, {decimal(event['bytes'])}"
    return found + (f", {len(missing)} not found" if missing else "")
