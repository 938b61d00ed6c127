"""An ingest on the terminal: its report as lines or JSON, its events, its progress bar."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from cli.terminal import Terminal
from state.counting import many
from state.extras import OCR, install_hint
from state.ingest_events import IngestEvent, IngestResult

if TYPE_CHECKING:
    from rag.ingest.ingest_report import IngestReport, OnEvent

_MOST_LINES = 40
_A_FOLDER_OF = 6
"""Files skipped for one reason from which they are told of on one line."""
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_VERBS = {"added": "add", "updated": "update", "moved": "move", "removed": "remove"}


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
    for path, reason in _together(report.failed):
        terminal.warn(f"failed: {path}: {reason}")
    for kind, problems in (("warning", report.warnings), ("skipped", report.skipped)):
        told = _together(problems)
        for path, reason in told[:_MOST_LINES]:
            terminal.notice(f"{kind}: {path}: {reason}")
        if len(told) > _MOST_LINES:
            rest = len(told) - _MOST_LINES
            terminal.notice(f"{kind}: {rest} more; `crag ingest --json` lists them all")
    if report.waiting_pages:
        pages = many(report.waiting_pages, "page")
        how = (
            install_hint(OCR)
            if sys.version_info < (3, 13)
            else "its package needs Python 3.11 or 3.12"
        )
        terminal.notice(f"{pages} of scans and pictures wait for OCR: {how}")
    terminal.notice(summary(report))


def _together(problems: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Files of one reason as one line, where they are many: a folder of pictures. Reasons are one
    where only their numbers differ.
    """
    alike: dict[str, list[tuple[str, str]]] = {}
    for path, reason in problems:
        alike.setdefault(_NUMBER.sub("…", reason), []).append((path, reason))
    told: list[tuple[str, str]] = []
    for without_numbers, some in alike.items():
        path, reason = some[0]
        if len(some) < _A_FOLDER_OF:
            told += some
        else:
            same = all(each == reason for _, each in some)
            told.append((f"{path} and {len(some) - 1:,} more", reason if same else without_numbers))
    return told


def summary(report: IngestReport) -> str:
    """What was done, or would be, and what the collection holds, in one line."""
    changed = {name: count for name in _VERBS if (count := getattr(report, name))}
    rest = (
        ("unchanged", report.unchanged),
        ("skipped", len(report.skipped)),
        ("failed", len(report.failed)),
    )
    others = [f"{count:,} {name}" for name, count in rest if count]
    if report.dry_run:
        would = ", ".join(f"{_VERBS[name]} {count:,}" for name, count in changed.items())
        told = [f"would {would}" if would else "nothing would change", ", ".join(others)]
        end = " Nothing was changed." if would else ""
        return f"{report.collection}: {'; '.join(filter(None, told))}.{end}"
    counts = [*(f"{count:,} {name}" for name, count in changed.items()), *others]
    return (
        f"{report.collection}: {', '.join(counts) or 'no file to read was found'};"
        f" {many(report.documents, 'document')}, {many(report.chunks, 'chunk')}"
        f" in {report.seconds:.1f} s"
    )


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
    """A bar with rate and remaining time, on a terminal only."""
    if terminal.quiet or not terminal.err_is_tty:
        yield lambda _event: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.fields[files]:,} of {task.fields[all_files]:,} files"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=terminal.console(), transient=True) as bar:
        yield _advance(bar)


def _advance(bar: Any) -> Callable[[IngestEvent], None]:
    task = bar.add_task("", total=None, files=0, all_files=0, rate="", visible=False)
    state = {"files": 0, "octets": 0}

    def on_event(event: IngestEvent) -> None:
        if event["event"] == "planned":
            # A file counts for its bytes and a little more, so that empty ones move the bar.
            files = event["files"]
            total = event["bytes"] + 1000 * files
            bar.update(task, total=total, all_files=files, visible=files > 1)
        elif event["outcome"] != "removed":
            state["files"] += 1
            state["octets"] += event["bytes"]
            seconds = bar.tasks[0].elapsed or 0.0
            rate = f"{state['octets'] / seconds / 1e6:.1f} MB/s" if seconds > 1 else ""
            bar.update(task, advance=event["bytes"] + 1000, files=state["files"], rate=rate)

    return on_event
