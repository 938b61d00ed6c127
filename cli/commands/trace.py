"""`crag trace`: stored traces to read, compare and replay."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import options
from cli.app import DefaultGroup, new_app
from cli.completion import complete_trace
from cli.confirm import confirm
from cli.terminal import Terminal, clean
from state.choices import TraceKind, TraceStatus
from state.counting import many
from state.errors import UsageError
from state.traces import Trace, TraceFilter

if TYPE_CHECKING:
    from rich.console import Console

    from state.settings import Settings
    from state.trace_store import TraceStore


class TraceGroup(DefaultGroup):
    """`crag trace`, `crag trace last` and `crag trace ID` mean `crag trace show …`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = next((arg for arg in args if not arg.startswith("-")), "")
        known = {*self.commands, "last"}
        near = get_close_matches(first, sorted(known), n=1)
        if near and first not in known:  # an id is near to none of them
            ctx.fail(f"There is no trace or command {first!r}. Did you mean {near[0]!r}?")
        return super().parse_args(ctx, args)


app = new_app(
    "Read, compare and replay stored traces.\n\n`crag trace` alone shows the last.", cls=TraceGroup
)

ONE_LINE = 72
PAGE_WIDTH = 110
_SECONDS = {"m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}

_TRACE = typer.Argument(
    metavar="ID", help="A trace, its beginning, or last.", autocompletion=complete_trace
)
TraceId = Annotated[str, _TRACE]


@app.command()
@options.taking()
def show(
    given: options.Given,
    trace_id: TraceId = "last",
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it as a page instead.")
    ] = None,
    json_: options.Json = False,
) -> None:
    """Print one trace: its loops, grades and decisions."""
    terminal = given.terminal
    with _store(given.settings()) as traces:
        found = traces.get(trace_id)
    if html is not None:
        from cli.files import write_text

        write_text(html, _page(found), terminal)
    elif json_:
        terminal.json(found)
    else:
        _print(found, terminal.out_console())


@app.command("list")
@options.taking()
def list_(
    given: options.Given,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many.")] = 20,
    thread: Annotated[str | None, options.thread_option("List only traces of this thread.")] = None,
    status: Annotated[
        TraceStatus | None, typer.Option(help="List only runs that ended so.")
    ] = None,
    kind: Annotated[TraceKind | None, typer.Option(help="List only this kind.")] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="List none older than 90m, 12h, 3d, 2w or a date."),
    ] = None,
    contains: Annotated[
        str | None, typer.Option(metavar="TEXT", help="List only questions with this in them.")
    ] = None,
    run: Annotated[
        str | None, typer.Option(metavar="ID", help="List the questions of this research run.")
    ] = None,
    json_: options.Json = False,
) -> None:
    """List the newest traces, all or those that are asked for."""
    from cli.render.trace_view import trace_line

    terminal = given.terminal
    wanted = TraceFilter(
        thread=thread,
        status=status.value if status else None,
        kind=kind.value if kind else None,
        since=_moment(since) if since else None,
        text=contains,
    )
    with _store(given.settings()) as traces:
        if run is not None:
            wanted = replace(wanted, parent=traces.get(run)["trace_id"])
        rows = traces.summaries(limit, wanted)
        any_ = bool(rows or traces.summaries(1))
    if json_:
        terminal.json({"schema": "crag.traces/1", "traces": rows})
        return
    for row in rows:
        terminal.out(trace_line(row, terminal.width))
    if not rows:
        none = "No trace is like that." if any_ else "No traces yet: every `crag ask` keeps one."
        terminal.notice(none)


@app.command()
@options.taking("quiet")
def delete(
    given: options.Given,
    trace_id: Annotated[str | None, _TRACE] = None,
    thread: Annotated[
        str | None, options.thread_option("Forget those of this thread instead.")
    ] = None,
    all_: Annotated[bool, options.switch("--all", "Forget every trace instead.")] = False,
    yes: options.Yes = False,
) -> None:
    """Forget a trace, a thread's or all of them. Threads and collections stay."""
    if (trace_id is not None) + (thread is not None) + all_ != 1:
        raise UsageError("Name one trace, or --thread NAME, or --all.")
    if trace_id is None:
        what = "every trace" if thread is None else f"the traces of {thread!r}"
        confirm(f"Forget {what}?", yes=yes)
    with _store(given.settings()) as traces:
        if trace_id is not None:
            count = traces.delete(trace_id)
        else:
            count = traces.delete_all() if thread is None else traces.delete_thread(thread)
    given.terminal.notice(f"Forgot {many(count, 'trace')}.")


@app.command()
@options.taking()
def diff(given: options.Given, one: TraceId, other: TraceId, json_: options.Json = False) -> None:
    """Print what two runs did differently, down to grades and ranks."""
    with _store(given.settings()) as traces:
        a, b = traces.get(one), traces.get(other)
    _print_diff(a, b, given.terminal, json_=json_)


@app.command()
@options.taking("engine", "k", "max_loops", "grader", "collection", "store", "quiet")
def replay(given: options.Given, trace_id: TraceId = "last", json_: options.Json = False) -> None:
    """Run it again from the history it had, then print the difference."""
    from rag.replay import replay as run_again
    from rag.replay import replay_flags

    terminal = given.terminal
    with _store(given.settings()) as traces:
        before = traces.get(trace_id)
    settings = options.read_settings(given.config, **replay_flags(before, given.flags))
    after = run_again(before, settings, terminal.notice)
    _print_diff(before, after, terminal, json_=json_)


def _moment(text: str) -> float:
    """Seconds since 1970 of "90m", "12h", "3d", "2w" ago, or of a local date and time.

    Raises:
        UsageError: it is none of these.
    """
    ago = re.fullmatch(r"(\d{1,6})\s*([mhdw])", text.strip().lower())
    if ago:
        return time.time() - int(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no time.", "Write 90m, 12h, 3d, 2w, or a date like 2026-11-21."
        ) from None


def _store(settings: Settings) -> TraceStore:
    from state.shared_place import open_traces

    return open_traces(settings)


def _print(trace: Trace, console: Console) -> None:
    """The run and its answer."""
    from cli.render.answer_text import answer_lines
    from cli.render.research_view import ResearchView
    from cli.render.trace_view import TraceView

    last = trace["events"][-1]
    if trace["kind"] == "research":
        run = ResearchView(Terminal(), events=False).lines(trace["events"])
        console.print("\n".join(map(clean, run)), soft_wrap=True)
        told = trace["answer"]["answer"].splitlines()
    else:
        TraceView(console).show_stored(trace)
        told = [last["message"]] if last["event"] == "failed" else [*answer_lines(trace["answer"])]
    console.print("", *map(clean, told), sep="\n", soft_wrap=True)


def _page(trace: Trace) -> str:
    """What `_print` prints, as HTML that needs nothing from elsewhere."""
    from rich.console import Console

    console = Console(
        record=True, file=StringIO(), width=PAGE_WIDTH, highlight=False, markup=False, emoji=False
    )
    _print(trace, console)
    return console.export_html(inline_styles=True)


def _print_diff(one: Trace, other: Trace, terminal: Terminal, *, json_: bool) -> None:
    from rag.tracing.diff import diff_traces

    differences = diff_traces(one, other)
    if json_:
        terminal.json(
            {
                "schema": "crag.trace-diff/1",
                "a": one["trace_id"],
                "b": other["trace_id"],
                "differences": differences,
            }
        )
        return
    if differences:
        for sign, trace in (("---", one), ("+++", other)):
            terminal.out(f"{sign} {trace['trace_id']}  {trace['answer']['status']}")
    for difference in differences:
        a = "nothing" if difference["a"] is None else difference["a"]
        b = "nothing" if difference["b"] is None else difference["b"]
        if len(difference["what"]) + len(a) + len(b) <= ONE_LINE and "\n" not in a + b:
            terminal.out(f"{difference['what']}: {a} → {b}")
            continue
        terminal.out(f"{difference['what']}:")
        for sign, text in (("-", a), ("+", b)):
            for line in text.splitlines():
                terminal.out(f"  {sign} {line}")
    if not differences:
        terminal.out("No difference: same path, grades, answer and citations.")
