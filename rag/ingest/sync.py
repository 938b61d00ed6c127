"""`ingest(...)`: the one call that makes a collection equal to folders and files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from rag.embed.builtin import builtin_embedder
from rag.index.protocol import FileStat
from rag.ingest.ignore import rules_for
from rag.ingest.pipeline import Ingest, IngestReport, OnEvent, Reporter
from rag.ingest.plan import IngestPlan, make_plan
from rag.ingest.roots import AS_BEFORE, Globs, Root, roots_of
from rag.ingest.walk import Listing, walk

if TYPE_CHECKING:
    from rag.index.collection_rows import CollectionContents
    from rag.index.writer import CollectionWriter
    from state.settings import Settings


def ingest(
    settings: Settings,
    paths: Sequence[str],
    globs: Globs = AS_BEFORE,
    *,
    dry_run: bool = False,
    on_event: OnEvent = lambda _event: None,
    notice: Callable[[str], None] = lambda _line: None,
) -> IngestReport:
    """Make the collection equal to `paths`; documents of other folders stay as they are. Where no
    `globs` are given, those that a folder was ingested with before hold.

    Raises:
        UsageError: a path does not exist, or a glob is malformed.
        StoreBusyError, EmbedderMismatchError, StorageError: as `Store.open_writer`.
    """
    from rag.opening import store_of

    began = time.perf_counter()
    roots = roots_of(paths)
    rules_for("/", globs.include, globs.exclude)  # malformed ones change nothing
    identity = builtin_embedder().identity
    report = IngestReport(settings.collection, str(identity), dry_run)
    reporter = Reporter(roots, report, on_event)
    store, name = store_of(settings), settings.collection
    if dry_run:
        known = store.contents(name) if name in store.names() else nullcontext()
        with known as held:
            plan, _ = _plan(held, settings.home, globs, reporter, notice)
            Ingest(None, reporter, plan).run()
            if held is not None:
                report.documents, report.chunks, _ = held.totals()
    else:
        with store.open_writer(name, notice) as writer:
            plan, wanted = _plan(writer, settings.home, globs, reporter, notice)
            if not plan.is_empty:
                _record(writer, wanted, finished=False)
                Ingest(writer, reporter, plan).run()
            _record(writer, wanted, finished=not plan.unlisted)
            report.documents, report.chunks, _ = writer.totals()
    report.skipped.sort()
    report.failed.sort()
    report.seconds = time.perf_counter() - began
    return report


def _record(writer: CollectionWriter, wanted: Mapping[str, Globs], *, finished: bool) -> None:
    known = writer.roots()
    for path, globs in wanted.items():
        options = globs.to_record(finished=finished)
        if known.get(path) != options:
            writer.set_root(path, options)


def _plan(
    held: CollectionContents | None,
    home: os.PathLike[str],
    given: Globs,
    reporter: Reporter,
    notice: Callable[[str], None],
) -> tuple[IngestPlan, dict[str, Globs]]:
    """The plan, which is reported, and the globs of each root."""
    roots, known = reporter.roots, held.roots() if held else {}
    globs = _globs(roots, given, known, notice)
    found = _walk_all(roots, globs, home)
    documents, unread = (held.documents(), held.unread()) if held else ((), ())
    plan = make_plan(roots, found, documents, unread)
    reporter.report.unchanged = plan.unchanged
    for path, reason in dict.fromkeys(found.skipped):
        reporter.problem(path, reason, failed=False)
    for path, reason in dict.fromkeys(found.unlisted):
        reporter.problem(path, reason, failed=True)
    for file in plan.unread:
        reporter.problem(file.path, file.reason, failed=file.failed)
    reporter.on_event(
        {
            "event": "planned",
            "files": len(plan.tasks),
            "bytes": sum(task.size for task in plan.tasks),
            "unchanged": plan.unchanged,
            "missing": len(plan.missing),
        }
    )
    return plan, globs


def _globs(
    roots: Sequence[Root],
    given: Globs,
    known_roots: Mapping[str, str],
    notice: Callable[[str], None],
) -> dict[str, Globs]:
    """The globs of each root: those given, else those recorded, which a notice names."""
    globs = {}
    for root in roots:
        recorded = known_roots.get(root.path)
        before = Globs() if recorded is None else Globs.recorded(recorded)
        kept = globs[root.path] = given or before
        if not given and kept and not root.is_file:
            notice(f"{root.typed}: {kept}, as before; --include '*' reads everything.")
    return globs


def _walk_all(roots: Sequence[Root], globs: Mapping[str, Globs], home: os.PathLike[str]) -> Listing:
    """The files of all roots; the program's own home is never read, wherever it lies."""
    own = os.path.realpath(home)
    everything = Listing()
    for root in roots:
        if root.is_file:
            everything.files[root.path] = FileStat.of(os.stat(root.path))
            continue
        rules = rules_for(root.inside, globs[root.path].include, globs[root.path].exclude)
        walk(everything, root.inside, rules, [own])
    return everything
