"""`crag trace`: stored traces to read, compare and replay."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO
from typing import TYPE_CHECKING, Annotated

import typer

from cli import options
from cli.app import DefaultGroup, new_app
from cli.render.answer_text import print_answer, print_wrapped
from cli.render.trace_view import TraceView
from cli.terminal import Terminal, clean
from rag.tracing import diff_traces, is_research, recorded_flags
from rag.tracing import replay as run_again
from state.trace_store import Trace, TraceStore
from state.wording import shorten

if TYPE_CHECKING:
    from rich.console import Console

app = new_app(
    "Read, compare and replay stored traces.\n\n`crag trace` alone shows the last.",
    cls=DefaultGroup,
)

TraceId = Annotated[str, typer.Argument(metavar="ID", help="A trace, or last.")]


@options.command(app)
def show(
    given: options.Shared,
    trace_id: TraceId = "last",
    html: Annotated[bool, options.flag("--html", "As a page, to stdout.")] = False,
    json_: options.Json = False,
) -> None:
    """Print one trace: its loops, grades and decisions."""
    terminal = given.terminal
    with TraceStore(given.settings()) as traces:
        found = traces.get(trace_id)
    if html:
        from rich.console import Console

        page = Console(record=True, file=StringIO(), width=110, highlight=False, markup=False)
        _print(found, page)
        terminal.out(page.export_html(inline_styles=True))
    elif json_:
        terminal.json(found)
    else:
        _print(found, terminal.console(stderr=False))


@options.command(app, name="list")
def list_(
    given: options.Shared,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, max=1_000_000, help="How many.")
    ] = 20,
    thread: Annotated[
        str | None, typer.Option("--thread", "-t", metavar="NAME", help="Only those of a thread.")
    ] = None,
    json_: options.Json = False,
) -> None:
    """List the newest traces."""
    terminal = given.terminal
    with TraceStore(given.settings()) as traces:
        rows = traces.summaries(limit + 1, thread)
    more, rows = len(rows) > limit, rows[:limit]
    if json_:
        terminal.json({"schema": "crag.traces/1", "traces": rows})
        return
    told = []
    for row in rows:
        when = datetime.fromtimestamp(row["created_at"], UTC).astimezone()
        asked = shorten(row["question"], 80) + (f" [{row['thread']}]" if row["thread"] else "")
        at = {"id": row["trace_id"], "when": f"{when:%Y-%m-%d %H:%M}"}
        told.append({**at, "of": row["collection"], "status": row["status"], "question": asked})
    none = "No traces here: every `crag ask` keeps one."
    terminal.table(told, "when", "of", none=none)
    if more:
        terminal.notice(f"These are the newest {limit}; -n shows more.")


@options.command(app)
def diff(given: options.Shared, one: TraceId, other: TraceId, json_: options.Json = False) -> None:
    """Print what two runs did differently, down to grades and ranks."""
    with TraceStore(given.settings()) as traces:
        a, b = traces.get(one), traces.get(other)
    _print_diff(a, b, given.terminal, json_=json_)


@options.command(app, "engine", "k", "max_loops", "grader", "collection", "store")
def replay(given: options.Shared, trace_id: TraceId = "last", json_: options.Json = False) -> None:
    """Run it again from the history it had, then print the difference."""
    terminal = given.terminal
    with TraceStore(given.settings()) as traces:
        before = traces.get(trace_id)
    settings = given.settings(**recorded_flags(before, given.flags["engine"]))
    after = run_again(before, settings, terminal.notice)
    _print_diff(before, after, terminal, json_=json_)


def _print(trace: Trace, console: Console) -> None:
    """Print the run's events and what it told in the end."""
    from rich.text import Text

    TraceView(console).show_stored(trace)
    console.print()
    answer, last = trace["answer"], trace["events"][-1]
    if last["event"] == "failed":
        print_wrapped(console, Text(clean(last["message"])))
    elif is_research(trace):
        print_wrapped(console, Text(clean(answer["answer"].rstrip())))
    else:
        print_answer(console, answer)


def _print_diff(one: Trace, other: Trace, terminal: Terminal, *, json_: bool) -> None:
    differences = diff_traces(one, other)
    if json_:
        named = {"a": one["trace_id"], "b": other["trace_id"], "differences": differences}
        terminal.json({"schema": "crag.trace-diff/1", **named})
        return
    if not differences:
        terminal.out("No difference: same path, grades, answer and citations.")
        return
    for sign, trace in (("---", one), ("+++", other)):
        terminal.out(f"{sign} {trace['trace_id']}  {trace['answer']['status']}")
    for each in differences:
        terminal.out(f"{each['what']}:")
        for sign, text in (("-", each["a"]), ("+", each["b"])):
            for line in ("nothing" if text is None else text).splitlines():
                terminal.out(f"  {sign} {line}")
