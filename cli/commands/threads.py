"""`crag threads`: the conversations kept, to list, read again, export and forget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated

import typer

from cli import options
from cli.app import DefaultGroup, new_app
from cli.render.answer_text import answer_lines, notice_lines
from rag.memory import ThreadMemory
from rag.text.prose import one_line
from state.errors import UsageError
from state.turn_store import ThreadSummary, Turn
from state.wording import did_you_mean, many, shorten

app = new_app("List, show, export, delete and prune threads.", cls=DefaultGroup)

_OF_A_TURN = ("created_at", "milestone", "collection", "answer")
Name = Annotated[str, typer.Argument(help="The thread.", metavar="THREAD")]
Days = Annotated[
    float | None, typer.Option(metavar="N", min=0, max=365_000, help="Turns older than N days.")
]
Keep = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=1_000_000, help="Keep the newest N a thread.")
]


@options.command(app, "threads", name="list")
def list_(given: options.Shared, json_: options.Json = False) -> None:
    """Print every thread, the one used last first."""
    terminal = given.terminal
    with ThreadMemory(given.settings()) as memory:
        found = memory.store.threads()
    if json_:
        rows = [asdict(each) for each in found]
        terminal.json({"schema": "crag.threads/1", "threads": rows})
        return
    told = [
        {
            "name": each.name,
            "used": f"{each.updated_at.astimezone():%Y-%m-%d %H:%M}",
            "turns": f"{many(each.turns, 'turn'):>10}",
            "question": shorten(each.first_question, 80),
        }
        for each in found
    ]
    none = "There are no threads yet. `crag ask -t NAME` or `crag chat` begins one."
    given.terminal.table(told, "turns", "used", none=none)


@options.command(app, "threads")
def show(given: options.Shared, name: Name, json_: options.Json = False) -> None:
    """Print a thread's turns."""
    _print(given, name, given.terminal.wrapped, json_=json_)


@options.command(app, "threads")
def export(given: options.Shared, name: Name, json_: options.Json = False) -> None:
    """Print a whole thread as Markdown, no line of it wrapped, or as JSON."""
    _print(given, name, given.terminal.out, json_=json_)


def _print(given: options.Shared, name: str, write: Callable[[str], None], *, json_: bool) -> None:
    with ThreadMemory(given.settings()) as memory:
        _summary(memory, name)
        turns = memory.store.turns(name)
        if json_:
            rows = [
                {"turn": turn.number, **{name: getattr(turn, name) for name in _OF_A_TURN}}
                for turn in turns
            ]
            given.terminal.json({"schema": "crag.thread/1", "thread": name, "turns": rows})
            return
        write(f"# {one_line(name)}")
        for turn in turns:
            for line in _turn_lines(turn):
                write(line)


def _turn_lines(turn: Turn) -> Iterator[str]:
    """A heading, what is known of the turn, and the answer as it was shown."""
    answer = turn.answer
    engine = answer["engine"]["model"] or answer["engine"]["name"]
    told = [turn.created_at.isoformat(sep=" ", timespec="seconds"), answer["status"], engine]
    told += [turn.collection] if turn.collection else []
    told += ["pinned"] if turn.milestone else []
    yield from ("", f"## {turn.number}. {one_line(answer['question'])}", "")
    for line in (", ".join(told), *notice_lines(answer)):
        yield from (f"*{one_line(line)}*", "")
    yield from answer_lines(answer)


@options.command(app, "threads")
def delete(
    given: options.Shared, name: Name, yes: options.Yes = False, json_: options.Json = False
) -> None:
    """Forget a thread, its turns and its checkpoint."""
    terminal = given.terminal
    with ThreadMemory(given.settings()) as memory:
        count = _summary(memory, name).turns
        terminal.confirm(f"Forget thread {name!r} with its {many(count, 'turn')}?", yes=yes)
        deleted = memory.delete(name)
    if json_:
        terminal.json({"schema": "crag.threads.deleted/1", "thread": name, "turns": deleted})
    else:
        terminal.notice(f"Forgot {name} with its {many(deleted, 'turn')}.")


@options.command(app, "threads")
def prune(
    given: options.Shared,
    days: Days = None,
    keep: Keep = None,
    dry_run: Annotated[bool, options.flag("--dry-run", "Only say what would go.")] = False,
    yes: options.Yes = False,
    json_: options.Json = False,
) -> None:
    """Remove old turns; nothing is ever removed unasked.

    With --days and --keep a turn goes only where both allow it; a pinned one stays.
    """
    terminal = given.terminal
    before = None if days is None else datetime.now(UTC) - timedelta(days=days)
    with ThreadMemory(given.settings()) as memory:
        prune_turns = partial(memory.store.prune, before=before, keep=keep)
        removed = prune_turns(dry_run=True)
        count = sum(map(len, removed.values()))
        if count and not dry_run:
            question = f"Remove {many(count, 'turn')} of {many(len(removed), 'thread')}?"
            terminal.confirm(question, yes=yes)
            removed = prune_turns()
            count = sum(map(len, removed.values()))
    if json_:
        terminal.json({"schema": "crag.threads.pruned/1", "dry_run": dry_run, "removed": removed})
        return
    # Before the list, which may find no room: they are gone all the same.
    terminal.notice(f"{'Would remove' if dry_run else 'Removed'} {many(count, 'turn')}.")
    for name, numbers in removed.items():
        terminal.out(f"{name}: {many(len(numbers), 'turn')} ({', '.join(map(str, numbers))})")


@options.command(app, "threads")
def size(given: options.Shared, json_: options.Json = False) -> None:
    """Print how much the threads take."""
    with ThreadMemory(given.settings()) as memory:
        found = memory.store.size()
    if json_:
        given.terminal.json({"schema": "crag.threads.size/1", **asdict(found)})
    else:
        counted = f"{many(found.threads, 'thread')}, {many(found.turns, 'turn')}"
        given.terminal.out(f"{counted}, {found.disk_bytes:,} bytes")


def _summary(memory: ThreadMemory, name: str) -> ThreadSummary:
    """A thread's summary; raises UsageError if there is no such thread."""
    threads = {each.name: each for each in memory.store.threads()}
    if name not in threads:
        hint = did_you_mean(name, threads, "`crag threads list` shows all of them.")
        raise UsageError(f"There is no thread {name!r}.", hint)
    return threads[name]
