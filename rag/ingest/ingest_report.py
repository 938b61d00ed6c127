"""What an ingest tells: events while it runs, a report at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from state.ingest_events import FileEvent, IngestEvent, Outcome


class FileProblem(NamedTuple):
    """A file that gave no document: its path as it can be opened, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class IngestReport:
    """Counts of documents, each counted once. `documents` and `chunks` are the collection's after
    the ingest; `waiting_pages` of what was read now would be read by the extra `ocr`.
    """

    collection: str
    embedder: str
    dry_run: bool = False
    added: int = 0
    updated: int = 0
    moved: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: list[FileProblem] = field(default_factory=list)
    failed: list[FileProblem] = field(default_factory=list)
    warnings: list[FileProblem] = field(default_factory=list)
    documents: int = 0
    chunks: int = 0
    waiting_pages: int = 0
    seconds: float = 0.0

    @property
    def has_changes(self) -> bool:
        return bool(self.added or self.updated or self.moved or self.removed)


def file_event(
    path: str, outcome: Outcome, source: str | None, reason: str | None = None, size: int = 0
) -> FileEvent:
    return {
        "event": "file",
        "path": path,
        "outcome": outcome,
        "source": source,
        "reason": reason,
        "bytes": size,
    }


OnEvent = Callable[[IngestEvent], None]
