"""`crag open`: a cited place of the last answer, in its surroundings."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import options
from cli.app import new_app
from cli.render.answer_text import citation_of, print_surroundings
from rag.tracing import start_event
from state.trace_store import TraceStore

app = new_app()


@options.command(app, "store", name="open")
def open_(
    given: options.Shared,
    number: Annotated[int, typer.Argument(metavar="N", min=1, help="The citation, as in [2].")] = 1,
) -> None:
    """Show a place that the last answer cites, in its surroundings."""
    from rag.opening import open_reader

    terminal, settings = given.terminal, given.settings()
    with TraceStore(settings) as traces:
        found = traces.get("last")
    citation = citation_of(found["answer"], str(number))
    asked = {"collection": start_event(found)["collection"]}
    with open_reader(settings.model_copy(update=asked), terminal.notice) as reader:
        print_surroundings(terminal, citation, reader)
