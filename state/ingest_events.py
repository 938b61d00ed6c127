"""What an ingest says on stdout: its events, and the report that is their last line."""

from __future__ import annotations

from typing import Literal, TypedDict

Outcome = Literal["added", "updated", "moved", "unchanged", "removed", "skipped", "failed"]


class PlannedFiles(TypedDict):
    """The walk is over: `files` of `bytes` are to be read. `missing` are gone from the disk."""

    event: Literal["planned"]
    files: int
    bytes: int
    unchanged: int
    missing: int


class FileEvent(TypedDict):
    """A file of so many `bytes` is dealt with; `source` is its document, where it has one."""

    event: Literal["file"]
    path: str
    outcome: Outcome
    source: str | None
    reason: str | None
    bytes: int


class FileProblem(TypedDict):
    path: str
    reason: str


class IngestResult(TypedDict):
    """`crag.ingest/1`. `updated` includes the `moved`; `documents` and `chunks` are the
    collection's after the ingest.
    """

    schema: Literal["crag.ingest/1"]
    collection: str
    embedder: str
    dry_run: bool
    added: int
    updated: int
    moved: int
    unchanged: int
    removed: int
    skipped: list[FileProblem]
    failed: list[FileProblem]
    warnings: list[FileProblem]
    documents: int
    chunks: int
    seconds: float


IngestEvent = PlannedFiles | FileEvent
