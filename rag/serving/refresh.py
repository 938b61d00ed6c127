"""Bringing folders up to date for an agent, confined to those the person ingested."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict

from rag.ingest.ingest_report import OnEvent
from rag.serving.results import IngestResult
from state.errors import UsageError
from state.settings import Settings


def refresh(
    settings: Settings, paths: Sequence[str], on_event: OnEvent = lambda _event: None
) -> IngestResult:
    """Ingest again what was ingested before, with the options of then; all of it where no path
    is named.

    Raises:
        UsageError: a path is none of the ingested folders.
        CragError: as an ingest.
    """
    from rag.index.stores import store_of
    from rag.ingest.sync import ingest
    from rag.opening import build_embedder

    roots = store_of(settings).roots(settings.one_collection)
    known = [root.path for root in roots if root.here]
    wanted = paths or known
    for path in wanted:
        # A folder that now is a link elsewhere is not the one that was ingested.
        if "\0" in path or os.path.realpath(path) not in known:
            raise UsageError(
                f"{path!r} was not ingested before.", "Ask the person to `crag ingest` it."
            )
    report = ingest(settings, build_embedder(settings), wanted, on_event=on_event)
    return IngestResult.model_validate(asdict(report))
