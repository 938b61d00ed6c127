"""A progress bar on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli.terminal import Terminal

if TYPE_CHECKING:
    from rag.evaluate.prepare import Progress as OnProgress


@contextmanager
def progress_on(terminal: Terminal) -> Iterator[OnProgress]:
    """A function that shows a step: its name, how much is done, and of how much. It shows nothing
    if there is no terminal.
    """
    if terminal.quiet or not terminal.err_is_tty:
        yield lambda _what, _done, _total: None
        return
    from rich import progress

    columns = "{task.description}", progress.BarColumn(), progress.MofNCompleteColumn()
    bar = progress.Progress(
        *columns, progress.TimeRemainingColumn(), console=terminal.console(), transient=True
    )
    with bar:
        task, shown = bar.add_task("", total=None, visible=False), ""

        def show(what: str, done: int, total: int | None) -> None:
            nonlocal shown
            if what != shown:
                bar.reset(task, total=total, description=what, visible=True)
                shown = what
            bar.update(task, completed=done, total=total)

        yield show
