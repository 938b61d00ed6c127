"""`crag open`: a cited place of the last answer in the person's editor."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import options
from cli.app import new_app
from cli.completion import complete_trace
from cli.render.answer_text import citation_of, cited
from cli.render.short_text import place, shorten
from state.errors import UsageError

if TYPE_CHECKING:
    from cli.terminal import Terminal
    from state.trace_store import TraceStore
    from state.traces import Trace

app = new_app()

LOOK_BACK = 50
"""Traces among which one that cites anything is looked for."""


@app.command("open")
@options.taking()
def open_(
    given: options.Given,
    number: Annotated[int, typer.Argument(metavar="N", min=1, help="The citation, as in [2].")] = 1,
    trace: Annotated[
        str,
        typer.Option(
            metavar="ID",
            help="The trace of the answer whose place to open.",
            autocompletion=complete_trace,
        ),
    ] = "last",
) -> None:
    """Open a place that the last answer cites.

    In $EDITOR or a viewer; elsewhere than on a terminal its path is printed.
    """
    terminal = given.terminal
    settings = given.settings()
    from rag.opening import open_reader
    from rag.tracing.stored_trace import began
    from state.shared_place import open_traces

    with open_traces(settings) as traces:
        found = _last_citing(traces, terminal) if trace == "last" else traces.get(trace)
    citation = citation_of(found["answer"], number)
    asked = settings.model_copy(update={"collection": began(found)["collection"], "files": None})
    with open_reader(asked, terminal.notice) as reader:
        document = reader.document(citation["source"])
    if document is None or document.path is None:
        raise UsageError(
            f"{citation['source']} is no file of {asked.collection}.",
            "`crag trace last` shows what was quoted.",
        )
    file, line = Path(document.path), citation["start_line"]
    if not os.path.isfile(file):  # noqa: PTH113 - Path's own can raise
        raise UsageError(f"{file} is gone; it was cited.", "`crag ingest` brings all up to date.")
    if not sys.stdout.isatty():
        terminal.out(str(file))
        return
    from cli.editor import opening_command, run_program

    command = opening_command(file, line)
    if command is None:
        terminal.out(place(str(file), citation["page"], line))
        terminal.notice("Set EDITOR to have it opened.")
        return
    run_program(command)


def _last_citing(traces: TraceStore, terminal: Terminal) -> Trace:
    """The last trace whose answer cites anything, told where another came after it; of none the
    last.
    """
    last = traces.get("last")
    if cited(last["answer"]):
        return last
    for each in traces.summaries(LOOK_BACK):
        found = traces.get(each["trace_id"])
        if cited(found["answer"]):
            terminal.notice(f"Of “{shorten(each['question'], 60)}”:")
            return found
    return last
