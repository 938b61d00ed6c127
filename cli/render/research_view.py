"""A research run as it goes on: a live list on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from rich.filesize import decimal

from cli.terminal import Terminal, clean
from state.research_events import ResearchEvent
from state.wording import many

if TYPE_CHECKING:
    from rich.live import Live


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


def _found(event: Mapping[str, Any]) -> str:
    missing = event.get("missing", [])
    found = f"{many(event['citations'], 'citation')}, {decimal(event['bytes'])}"
    return found + (f", {len(missing)} not found" if missing else "")


class ResearchView:
    """Shows each event; NDJSON on stdout when `events` was asked for. On a terminal there is a line
    for each round, and one for each subtask of the current round.
    """

    def __init__(self, terminal: Terminal, *, events: bool) -> None:
        self._terminal = terminal
        self._events = events
        self._lines: dict[str, str] = {}
        self._tasks: dict[str, str] = {}
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._terminal.err_is_tty and not self._events and not self._terminal.quiet:
            from rich.live import Live

            self._live = Live("", console=self._terminal.console(), refresh_per_second=10)
            self._live.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, event: ResearchEvent) -> None:
        if self._events:
            self._terminal.json(event)
        elif self._live is not None:
            from rich.text import Text

            self._note(event)
            lines = [" ".join(clean(line).split()) for line in self._lines.values()]
            self._live.update(Text("\n".join(lines), no_wrap=True, overflow="ellipsis"))
        elif event["event"] != "warned" and (line := event_line(event)):  # the report's end warns
            self._terminal.notice(line)

    def _note(self, event: Mapping[str, Any]) -> None:
        match event["event"]:
            case "research_started" | "reflected":
                self._lines[f"round {event.get('round', 0)}"] = event_line(event) or ""
            case "planned":
                for name in self._tasks:
                    self._lines.pop(name, None)
                self._lines[f"round {event['round']}"] = event_line(event) or ""
                self._tasks = {
                    task["id"]: f"{task['role']} · {task.get('heading') or task['instruction']}"
                    for task in event["subtasks"]
                }
                self._lines |= {name: f"○ {told}" for name, told in self._tasks.items()}
            case "subtask_started":
                name = event["subtask"]["id"]
                self._lines[name] = f"◐ {self._tasks.get(name, name)}"
            case "subtask_finished":
                name = event["subtask"]
                sign = "●" if event["status"] == "done" else "◌"
                self._lines[name] = f"{sign} {self._tasks.get(name, name)} · {_found(event)}"
