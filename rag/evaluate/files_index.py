"""files/ to a collection: the ingest itself, so that what is scored is what people get."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rag.embed.protocol import Embedder
from rag.evaluate.progress import Progress
from rag.ingest.ingest_report import FileDone, IngestEvent, Planned
from rag.ingest.sync import ingest
from state.settings import Settings


def index_files(
    files: Path,
    settings: Settings,
    embedder: Embedder,
    on: Progress,
    notify: Callable[[str], None],
) -> int:
    """Ingest the folder; returns how many documents it gave. What could not be read is told."""
    total = done = 0

    def on_event(event: IngestEvent) -> None:
        nonlocal total, done
        if isinstance(event, Planned):
            total = event.files
        elif isinstance(event, FileDone):
            done += 1
        on("index", done, total)

    report = ingest(settings, embedder, [str(files)], on_event=on_event, notice=notify)
    for path, reason in report.failed:
        notify(f"{path} could not be read: {reason}.")
    return report.documents
