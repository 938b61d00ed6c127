"""An ingest on the terminal: its report as lines or JSON, its events, its progress bar."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from cli.terminal import Terminal
from state.events import IngestEvent
from state.wording import many

if TYPE_CHECKING:
    from rag.ingest.pipeline import IngestReport, OnEvent

_MANY_FILES = 6
"""From so many files that were skipped for one reason, they share one line."""
_VERBS = {"added": "add", "updated": "update", "removed": "remove"}


def report_json(report: IngestReport) -> dict[str, object]:
    """The `crag.ingest/1` object."""
    problems = {
        name: [problem._asdict() for problem in getattr(report, name)]
        for name in ("skipped", "failed", "warnings")
    }
    seconds = round(report.seconds, 4)
    return {"schema": "crag.ingest/1", **asdict(report), **problems, "seconds": seconds}


def print_report(
    report: IngestReport,
    terminal: Terminal,
    before: IngestReport | None = None,
    *,
    data: bool = False,
) -> None:
    """The report as JSON if `data`; failures, skips and the summary, one line each, on stderr. Many
    files with the same reason share a line, as in a folder of pictures; what the report `before`
    told of the same files is not told again.
    """
    if data:
        terminal.json(report_json(report))
    for kind, tell in (
        ("failed", terminal.warn),
        ("warnings", terminal.notice),
        ("skipped", terminal.notice),
    ):
        alike: dict[str, list[str]] = {}
        for path, reason in getattr(report, kind):
            if before is None or (path, reason) not in getattr(before, kind):
                alike.setdefault(reason, []).append(path)
        for reason, paths in alike.items():
            many_files = len(paths) >= _MANY_FILES
            more = f" and {len(paths) - 1:,} more" if many_files else ""
            for path in paths[:1] if many_files else paths:
                tell(f"{kind.removesuffix('s')}: {path}{more}: {reason}")
    terminal.notice(summary(report))


def summary(report: IngestReport) -> str:
    """One line: what was done, or would be, and what the collection holds."""
    counts = {name: getattr(report, name) for name in (*_VERBS, "unchanged")}
    counts |= {"skipped": len(report.skipped), "failed": len(report.failed)}
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    told = told or "no file to read was found"
    if report.dry_run:
        return f"{report.collection}: {told}; nothing was changed, it is a dry run"
    held = f"{many(report.documents, 'document')}, {many(report.chunks, 'chunk')}"
    return f"{report.collection}: {told}; {held} in {report.seconds:.1f} s"


@contextmanager
def progress(terminal: Terminal, *, dry_run: bool) -> Iterator[OnEvent]:
    """A bar over the files to read, on a terminal; of a dry run the files it would change."""
    with terminal.progress() as told:
        files, read = 1, 0

        def on_event(event: IngestEvent) -> None:
            nonlocal files, read
            if event["event"] == "planned":
                files = event["files"]
            else:
                read += event["outcome"] != "removed"
                if dry_run and event["outcome"] in _VERBS:
                    terminal.notice(f"would {_VERBS[event['outcome']]}: {event['path']}")
            if files > 1:
                told("files", read, files)

        yield on_event
