"""Notices that several commands give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.terminal import Terminal

if TYPE_CHECKING:
    from state.settings import Settings

LOOKED_AT = 5_000
"""Files that a question looks at: some 20 ms. `crag status` looks at more."""


def report_staleness(terminal: Terminal, settings: Settings) -> None:
    """One line on stderr when indexed files have changed or gone since."""
    if terminal.quiet:
        return
    from rag.index.stores import store_of
    from rag.ingest.staleness import staleness

    store = store_of(settings)
    for name in settings.collections:
        line = staleness(store, name, most=LOOKED_AT).line
        if line is not None:
            terminal.notice(f"{name}: {line}" if len(settings.collections) > 1 else line)
