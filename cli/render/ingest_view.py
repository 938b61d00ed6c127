"""An ingest on the terminal: its report as lines or JSON, its events, its progress bar."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from cli.render.progress import progress_on
from cli.terminal import Terminal
from state.events import IngestEvent, IngestResult
from state.extras import OCR, install_hint
from state.wording import many

if TYPE_CHECKING:
    from rag.ingest.ingest_report import IngestReport, OnEvent

_MOST_LINES = 40
_A_FOLDER_OF = 6
"""Files skipped for one reason from which they are told of on one line."""
_VERBS = {"added": "add", "updated": "update", "removed": "remove"}


def report_json(report: IngestReport) -> IngestResult:
    """The `crag.ingest/1` object."""
    values = asdict(report)
    del values["waiting_pages"]
    for name in ("skipped", "failed", "warnings"):
        values[name] = [problem._asdict() for problem in getattr(report, name)]
    values["seconds"] = round(report.seconds, 4)
    return cast("IngestResult", {"schema": "crag.ingest/1", **values})


def print_report(report: IngestReport, terminal: Terminal) -> None:
    """Failures, skips and the summary, one line each, on stderr."""
    for kind, problems, tell in (
        ("failed", report.failed, terminal.warn),
        ("warning", report.warnings, terminal.notice),
        ("skipped", report.skipped, terminal.notice),
    ):
        told = _together(problems)
        most = len(told) if kind == "failed" else _MOST_LINES
        for path, reason in told[:most]:
            tell(f"{kind}: {path}: {reason}")
        if len(told) > most:
            tell(f"{kind}: {len(told) - most} more; `crag ingest --json` lists them all")
    if report.waiting_pages:
        how = "its package needs Python 3.11 or 3.12"
        if sys.version_info < (3, 13):
            how = install_hint(OCR)
        pages = many(report.waiting_pages, "page")
        terminal.notice(f"{pages} of scans and pictures wait for OCR: {how}")
    terminal.notice(summary(report))


def _together(problems: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Files of one reason as one line, where they are many: a folder of pictures."""
    alike: dict[str, list[str]] = {}
    for path, reason in problems:
        alike.setdefault(reason, []).append(path)
    told: list[tuple[str, str]] = []
    for reason, paths in alike.items():
        if len(paths) < _A_FOLDER_OF:
            told += ((path, reason) for path in paths)
        else:
            told.append((f"{paths[0]} and {len(paths) - 1:,} more", reason))
    return told


def summary(report: IngestReport) -> str:
    """What was done, or would be, and what the collection holds, in one line."""
    counts = {name: getattr(report, name) for name in (*_VERBS, "unchanged")}
    counts |= {"skipped": len(report.skipped), "failed": len(report.failed)}
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    told = told or "no file to read was found"
    if report.dry_run:
        return f"{report.collection}: {told}; nothing was changed, it is a dry run"
    held = f"{many(report.documents, 'document')}, {many(report.chunks, 'chunk')}"
    return f"{report.collection}: {told}; {held} in {report.seconds:.1f} s"


def dry_run_lines(terminal: Terminal) -> OnEvent:
    """Names the files that a dry run would deal with, the first of each kind."""
    told: Counter[str] = Counter()

    def on_event(event: IngestEvent) -> None:
        if event["event"] == "planned" or event["outcome"] not in _VERBS:
            return
        verb = _VERBS[event["outcome"]]
        told[verb] += 1
        if told[verb] <= _MOST_LINES:
            terminal.notice(f"would {verb}: {event['path']}")
        elif told[verb] == _MOST_LINES + 1:
            terminal.notice(f"would {verb}: more; `crag ingest --dry-run --events` lists them all")

    return on_event


@contextmanager
def progress(terminal: Terminal) -> Iterator[OnEvent]:
    """A bar over what is to be read, on a terminal only."""
    with progress_on(terminal) as told:
        files, read = 1, 0

        def on_event(event: IngestEvent) -> None:
            nonlocal files, read
            if event["event"] == "planned":
                files = event["files"]
            elif event["outcome"] != "removed":
                read += 1
            if files > 1:
                told("files", read, files)

        yield on_event
