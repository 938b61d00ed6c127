"""A research run as it goes on: a live tree on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from rich.filesize import decimal

from cli.terminal import Terminal, clean
from state.counting import many
from state.research_events import ResearchEvent

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text
    from rich.tree import Tree

MOST_FILES = 6
"""Shown at once, the newest."""
_SIGN = {"planned": "○", "running": "◐", "done": "●", "empty": "◌", "cut": "✗"}


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
        self._planning = 0
        self._title = ""
        self._open: list[str] = []
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._terminal.err_is_tty and not self._events and not self._terminal.quiet:
            from rich.live import Live

            console = self._terminal.console()
            self._live = Live("", console=console, refresh_per_second=10, transient=False)
            self._live.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._live is not None:
            self._live.stop()

    def lines(self, events: Iterable[Mapping[str, Any]]) -> Iterator[str]:
        """A stored run, a line an event."""
        for event in events:
            line = self._note(dict(event))
            if line:
                yield line

    def show(self, event: ResearchEvent) -> None:
        if self._events:
            self._terminal.json(event)
            return
        line = self._note(dict(event))
        if self._live is not None:
            self._live.update(self._tree())
        elif line and event["event"] != "warned":  # the report's end tells it
            self._terminal.notice(line)

    def _note(self, event: dict[str, Any]) -> str | None:
        line: str | None = None
        match event["event"]:
            case "research_started":
                self._title = f"{event['question']} ({event['run_id']})"
                line = f"research {event['run_id']}: {event['question']}"
            case "planned":
                self._rounds.append((event["round"], event["subtasks"]))
                planned = many(len(event["subtasks"]), "subtask")
                line = f"round {event['round']}: {planned} planned"
            case "subtask_started":
                self._status[event["subtask"]["id"]] = "running"
                line = f"  {event['subtask']['role']}: {event['subtask']['instruction']}"
            case "subtask_finished":
                self._status[event["subtask"]] = event["status"]
                detail = f"{many(event['citations'], 'citation')}, {decimal(event['bytes'])}"
                missing = event.get("missing", [])
                detail += f", {len(missing)} not found" if missing else ""
                self._detail[event["subtask"]] = detail
                self._files[event["artifact"]] = f"{event['status']}  {decimal(event['bytes'])}"
                self._spent[event["subtask"]] = event.get("tokens", 0)
                line = f"  {event['status']}: {event['artifact']} ({detail})"
            case "cleaned_up":
                for name in event["evicted"]:
                    self._files.pop(name, None)
            case "warned":
                line = f"warning: {event['line']}"
            case "reflected":
                self._ending[event["round"]] = f"{event['decision']}: {event['reason']}"
                self._planning = event.get("tokens", 0)
                self._open = event.get("open", [])
                line = f"round {event['round']} → {event['decision']}: {event['reason']}"
        return line

    def _tree(self) -> Tree:
        """What is going on now: the rounds that ended are a line each."""
        from rich.text import Text
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
                status = self._status.get(task["id"], "planned")
                line = Text(f"{_SIGN[status]} {task['role']}", no_wrap=True, overflow="ellipsis")
                if task["id"] in self._detail:
                    line.append(f" · {self._detail[task['id']]}", style="green")
                line.append(f" · {_plain(task.get('heading') or task['instruction'])}", style="dim")
                branch.add(line)
        if self._open:
            branch = tree.add(_text(f"{len(self._open)} still open", "cyan"))
            for part in self._open:
                branch.add(_text(part, "dim"))
        if self._files:
            branch = tree.add(_text(many(len(self._files), "file"), "cyan"))
            for name, told in list(self._files.items())[-MOST_FILES:]:
                branch.add(_text(f"{name}  {told}", "dim"))
        if self._tokens:
            tree.add(_text(f"{self._tokens:,} tokens", "cyan"))
        return tree

    @property
    def _tokens(self) -> int:
        return self._planning + sum(self._spent.values())


def _text(words: str, style: str) -> Text:
    from rich.text import Text

    return Text(_plain(words), style=style, no_wrap=True, overflow="ellipsis")


def _plain(words: str) -> str:
    return " ".join(clean(words).split())
