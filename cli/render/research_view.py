"""A research run as it goes on: a live tree on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from rich.filesize import decimal

from cli.terminal import Terminal, clean
from state.research_events import ResearchEvent
from state.wording import many

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text
    from rich.tree import Tree

MOST_FILES = 6
"""Shown at once, the newest."""
_SIGN = {"planned": "○", "running": "◐", "done": "●", "empty": "◌"}


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
    """Shows rounds, subtasks and files; NDJSON on stdout when `events` was asked for."""

    def __init__(self, terminal: Terminal, *, events: bool) -> None:
        self._terminal = terminal
        self._events = events
        self._rounds: list[tuple[int, list[dict[str, Any]]]] = []
        self._status: dict[str, str] = {}
        self._detail: dict[str, str] = {}
        self._ending: dict[int, str] = {}
        self._files: dict[str, str] = {}
        self._spent: dict[str, int] = {}
        self._title = ""
        self._open: list[str] = []
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
            self._note(dict(event))
            self._live.update(self._tree())
        elif event["event"] != "warned" and (line := event_line(event)):  # the report's end warns
            self._terminal.notice(line)

    def _note(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "research_started":
                self._title = f"{event['question']} ({event['run_id']})"
            case "planned":
                self._rounds.append((event["round"], event["subtasks"]))
            case "subtask_started":
                self._status[event["subtask"]["id"]] = "running"
            case "subtask_finished":
                self._status[event["subtask"]] = event["status"]
                self._detail[event["subtask"]] = _found(event)
                self._files[event["artifact"]] = f"{event['status']}  {decimal(event['bytes'])}"
                self._spent[event["subtask"]] = event.get("tokens", 0)
            case "cleaned_up":
                for name in event["evicted"]:
                    self._files.pop(name, None)
            case "reflected":
                self._ending[event["round"]] = f"{event['decision']}: {event['reason']}"
                self._spent["planning"] = event.get("tokens", 0)
                self._open = event.get("open", [])

    def _tree(self) -> Tree:
        """What is going on now: the rounds that ended are a line each."""
        from rich.tree import Tree

        tree = Tree(_text(self._title, "bold"))
        for number, subtasks in self._rounds:
            current = number == self._rounds[-1][0]
            ending = f" → {self._ending[number]}" if number in self._ending else ""
            if not current:
                done = sum(self._status.get(task["id"]) == "done" for task in subtasks)
                ending = f", {done} of {len(subtasks)} found something{ending}"
            branch = tree.add(_text(f"round {number}{ending}", "cyan"))
            for task in subtasks if current else ():
                line = _text(f"{_SIGN[self._status.get(task['id'], 'planned')]} {task['role']}", "")
                if task["id"] in self._detail:
                    line.append(f" · {self._detail[task['id']]}", style="green")
                line.append(f" · {_plain(task.get('heading') or task['instruction'])}", style="dim")
                branch.add(line)
        # By step, whichever of those side by side was finished first.
        by_step = sorted(self._files.items(), key=lambda file: file[0].partition("_")[2])
        files = [f"{name}  {told}" for name, told in by_step][-MOST_FILES:]
        count = many(len(self._files), "file")
        for head, lines in ((f"{len(self._open)} still open", self._open), (count, files)):
            if lines:
                branch = tree.add(_text(head, "cyan"))
                for each in lines:
                    branch.add(_text(each, "dim"))
        if spent := sum(self._spent.values()):
            tree.add(_text(f"{spent:,} tokens", "cyan"))
        return tree


def _text(words: str, style: str) -> Text:
    from rich.text import Text

    return Text(_plain(words), style=style, no_wrap=True, overflow="ellipsis")


def _plain(words: str) -> str:
    return " ".join(clean(words).split())
