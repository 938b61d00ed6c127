"""A research run as it goes on: a live tree on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from cli.terminal import Terminal, clean

if TYPE_CHECKING:
    from rich.live import Live
    from rich.tree import Tree

    from state.research_events import ResearchEvent

_SIGN = {"planned": "○", "running": "◐", "done": "●", "empty": "◌", "failed": "✗"}


class ResearchView:
    """Shows rounds, subtasks and files; NDJSON on stdout when `events` was asked for."""

    def __init__(self, terminal: Terminal, *, events: bool) -> None:
        self._terminal = terminal
        self._events = events
        self._rounds: list[tuple[int, list[dict[str, Any]]]] = []
        self._status: dict[str, str] = {}
        self._detail: dict[str, str] = {}
        self._ending: dict[int, str] = {}
        self._title = ""
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
                count = len(event["subtasks"])
                line = f"round {event['round']}: {count} subtask{'' if count == 1 else 's'} planned"
            case "subtask_started":
                self._status[event["subtask"]["id"]] = "running"
                line = f"  {event['subtask']['role']}: {event['subtask']['instruction']}"
            case "subtask_finished":
                self._status[event["subtask"]] = event["status"]
                detail = f"{event['citations']} citations, {event['bytes']} bytes"
                self._detail[event["subtask"]] = detail
                line = f"  {event['status']}: {event['artifact']} ({detail})"
            case "warned":
                line = f"warning: {event['line']}"
            case "reflected":
                self._ending[event["round"]] = f"{event['decision']}: {event['reason']}"
                line = f"round {event['round']} → {event['decision']}: {event['reason']}"
        return line

    def _tree(self) -> Tree:
        from rich.text import Text
        from rich.tree import Tree

        tree = Tree(Text(clean(self._title), style="bold"))
        for number, subtasks in self._rounds:
            branch = tree.add(Text(f"round {number}", style="cyan"))
            for task in subtasks:
                status = self._status.get(task["id"], "planned")
                line = Text(f"{_SIGN[status]} {task['role']} ")
                line.append(" ".join(clean(task["instruction"]).split())[:100], style="dim")
                line.append(f"  {self._detail.get(task['id'], '')}", style="green")
                branch.add(line)
            if number in self._ending:
                branch.add(Text(f"→ {clean(self._ending[number])}", style="magenta"))
        return tree
