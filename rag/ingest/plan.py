"""What an ingest has to do: the files on disk against what the catalog remembers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rag.index.protocol import IndexedDocument, UnreadFile
from rag.ingest.file_text import ReadTask, reading_version
from rag.ingest.roots import Root, root_of
from rag.ingest.walk import Listing


@dataclass(slots=True)
class IngestPlan:
    """The difference between folder and collection. What begins with the paths of what could not be
    listed stays as it was.
    """

    tasks: list[ReadTask] = field(default_factory=list)  # files to read, sorted by path
    changed: dict[str, IndexedDocument] = field(default_factory=dict)  # indexed, by a task's path
    missing: list[IndexedDocument] = field(default_factory=list)  # whose file is gone
    unchanged: int = 0  # documents
    unread: list[UnreadFile] = field(default_factory=list)  # as before, and not changed since
    forgotten: list[str] = field(default_factory=list)  # no longer remembered as unread
    unlisted: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.tasks or self.missing or self.forgotten)


def make_plan(
    roots: Sequence[Root],
    found: Listing,
    known: Iterable[IndexedDocument],
    unread: Sequence[UnreadFile],
) -> IngestPlan:
    """Compares `found` with the whole collection: what is `known`, and what could not be read."""
    plan, now = IngestPlan(unlisted=tuple(skip.path for skip in found.unlisted)), reading_version()
    wanted = dict(found.files)
    for file in unread:
        if file.path not in wanted and root_of(roots, file.path):
            plan.forgotten.append(file.path)
        elif file.reading == now and file.stat == wanted.get(file.path):
            plan.unread.append(file)
            del wanted[file.path]
    taken: set[str] = set()
    for document in known:
        path = document.path
        if path is None:
            continue
        if path not in found.files and _is_gone(document, path, roots, plan.unlisted):
            plan.missing.append(document)
            continue
        taken.add(document.source)
        stat = wanted.pop(path, None)
        if stat is None:
            continue
        if document.stat == stat and document.content_hash.startswith(now):
            plan.unchanged += 1
        else:
            plan.changed[path] = document
            known_hash = document.content_hash
            root = _root(roots, path)
            plan.tasks.append(ReadTask(path, stat.size, document.source, root.path, known_hash))
    for path in sorted(wanted):
        root = _root(roots, path)
        names = list(root.source_names(path))
        source = next((name for name in names if name not in taken), names[-1])
        taken.add(source)
        plan.tasks.append(ReadTask(path, wanted[path].size, source, root.path))
    plan.tasks.sort()
    return plan


def _root(roots: Sequence[Root], path: str) -> Root:
    root = root_of(roots, path)
    assert root is not None, "what was found lies under one"
    return root


def _is_gone(
    document: IndexedDocument, path: str, roots: Sequence[Root], unlisted: tuple[str, ...]
) -> bool:
    """Whether the document is no longer of these folders. What was found under a root that is
    not among them stays as long as its file is there.
    """
    root = root_of(roots, path)
    if root is None or path.startswith(unlisted):
        return False
    return document.root == root.path or not os.path.lexists(path)
