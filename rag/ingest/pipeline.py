"""An ingest: make a collection equal to folders, and tell of it in events and a report.

Walk, compare with the catalog, and only if something differs: read on worker processes, embed
and write here meanwhile. What is read and not yet taken is bounded.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rag.documents.formats import SUFFIXES
from rag.index.protocol import IndexedDocument, UnreadFile
from rag.ingest.file_text import FileText, ReadOutcome, ReadTask, SameContent, read_file
from rag.ingest.plan import IngestPlan
from rag.ingest.roots import Root, root_of
from rag.ingest.walk import FileProblem
from state.events import IngestEvent, Outcome

if TYPE_CHECKING:
    from rag.index.writer import CollectionWriter

BATCH_CHUNKS = 256
"""About so many chunks are written in one transaction."""

INLINE_BYTES = 64 << 10
"""So little plain text is read in this process; all else by workers, which can be stopped."""


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


@dataclass(slots=True)
class Ingest:
    """One run on an open collection, to bring it up to date with a plan; a dry one, which reads as
    the other does and writes nothing, has no `writer`.
    """

    writer: CollectionWriter | None
    reporter: Reporter
    plan: IngestPlan
    _unread: list[UnreadFile] = field(default_factory=list)
    _written: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Reads, writes and removes what the plan says; may be called once."""
        plan = self.plan
        try:
            if plan.tasks:
                self._read_and_write(plan.tasks)
            self._remove(plan.missing)
        finally:
            if self.writer and (plan.tasks or plan.forgotten):
                tried = (task.path for task in plan.tasks)
                self.writer.set_unread(self._unread, [*plan.forgotten, *tried])

    def _read_and_write(self, tasks: Sequence[ReadTask]) -> None:
        with _reading(tasks) as outcomes:
            for batch in _batches(outcomes):
                files = [each for each in batch if isinstance(each, FileText)]
                if self.writer:
                    self.writer.put_all([(each.document, each.parts()) for each in files])
                self._report_put(each.document for each in files)
                for each in batch:
                    if isinstance(each, SameContent):
                        self._same(each)
                    elif isinstance(each, UnreadFile):
                        self._not_read(each)

    def _report_put(self, documents: Iterable[IndexedDocument]) -> None:
        """Reports documents that were written."""
        for document in documents:
            shown = self.reporter.shown(document.path or "")
            self.reporter.report.warnings += [
                FileProblem(shown, each) for each in document.warnings
            ]
            self._settle(document, "updated" if document.path in self.plan.changed else "added")

    def _same(self, same: SameContent) -> None:
        """Notes the new times of a file whose content is the same."""
        document = replace(self.plan.changed[same.task.path], stat=same.stat)
        if self.writer:
            self.writer.touch(document)
        self._settle(document, "unchanged")

    def _not_read(self, file: UnreadFile) -> None:
        """Reports the file. What was indexed of a file that can no longer be read stays; what was
        indexed of one that is now empty, or of a kind that is not read, goes.
        """
        old = self.plan.changed.get(file.path)
        if old is not None and file.failed:
            file = replace(file, reason=f"{file.reason}; what was indexed of it before is kept")
        elif old is not None:
            self._remove([old])
        self._unread.append(file)
        outcome: Outcome = "failed" if file.failed else "skipped"
        self.reporter.done(file.path, outcome, None, file.stat.size, file.reason)

    def _remove(self, documents: Iterable[IndexedDocument]) -> None:
        """Removes documents, except those whose source another file has taken in this run."""
        gone = [each for each in documents if each.source not in self._written]
        if self.writer:
            self.writer.remove(each.source for each in gone)
        for each in gone:
            self.reporter.done(each.path or each.source, "removed", each.source, 0)

    def _settle(self, document: IndexedDocument, outcome: Outcome) -> None:
        self._written.add(document.source)
        self.reporter.done(document.path or "", outcome, document.source, document.stat.size)


def _batches(outcomes: Iterable[ReadOutcome | None]) -> Iterator[list[ReadOutcome]]:
    """Collects outcomes until a batch is full, or until None says that none came for a while."""
    batch: list[ReadOutcome] = []
    chunks = 0
    for outcome in outcomes:
        if outcome is not None:
            batch.append(outcome)
            if isinstance(outcome, FileText):
                chunks += outcome.document.chunk_count
            if max(chunks, len(batch)) < BATCH_CHUNKS:
                continue
        yield batch
        batch, chunks = [], 0
    yield batch


@contextmanager
def _reading(tasks: Sequence[ReadTask]) -> Iterator[Iterable[ReadOutcome | None]]:
    """Reads a little plain text in this process, everything else on worker processes."""
    kinds = (SUFFIXES.get(os.path.splitext(task.path)[1].lower()) for task in tasks)
    plain = (kind is not None and kind.held == "text" for kind in kinds)
    if sum(task.size for task in tasks) <= INLINE_BYTES and all(plain):
        yield [read_file(task, lambda: None) for task in tasks]
        return
    from rag.ingest.pool import read_files

    with read_files(tasks) as outcomes:
        yield outcomes
