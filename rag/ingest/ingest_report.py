"""What an ingest tells: events while it runs, a report at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rag.ingest.roots import Root, root_of
from rag.ingest.walk import FileProblem
from state.events import IngestEvent, Outcome


@dataclass(slots=True)
class IngestReport:
    """Counts of documents, each counted once, and paths as they can be opened. `documents` and
    `chunks` are the collection's after the ingest.
    """

    collection: str
    embedder: str
    dry_run: bool = False
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: list[FileProblem] = field(default_factory=list)
    failed: list[FileProblem] = field(default_factory=list)
    warnings: list[FileProblem] = field(default_factory=list)
    documents: int = 0
    chunks: int = 0
    seconds: float = 0.0

    @property
    def has_changes(self) -> bool:
        return bool(self.added or self.updated or self.removed)


_COUNTED = ("added", "updated", "unchanged", "removed")

OnEvent = Callable[[IngestEvent], None]


@dataclass(frozen=True, slots=True)
class Reporter:
    """Sends events and fills the report, with paths as they can be opened from here."""

    roots: Sequence[Root]
    report: IngestReport
    on_event: OnEvent

    def shown(self, path: str) -> str:
        root = root_of(self.roots, path)
        return path if root is None else root.shown(path)

    def problem(self, path: str, reason: str, *, failed: bool) -> None:
        listed = self.report.failed if failed else self.report.skipped
        listed.append(FileProblem(self.shown(path), reason))

    def done(
        self, path: str, outcome: Outcome, source: str | None, size: int, reason: str | None = None
    ) -> None:
        if outcome in _COUNTED:
            setattr(self.report, outcome, getattr(self.report, outcome) + 1)
        if reason is not None:
            self.problem(path, reason, failed=outcome == "failed")
        self.on_event(
            {
                "event": "file",
                "path": self.shown(path),
                "outcome": outcome,
                "source": source,
                "reason": reason,
                "bytes": size,
            }
        )
