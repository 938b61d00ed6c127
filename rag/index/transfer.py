"""Copying a collection between stores as it is, without embedding anything again."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from rag.index.collection_store import Store
from rag.index.protocol import Notice
from state.errors import StorageError, UsageError

_UID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Transferred:
    """What a copy took: documents that were `sent`, `removed` there and `unchanged`."""

    documents: int
    sent: int
    removed: int

    @property
    def unchanged(self) -> int:
        return self.documents - self.sent


def transfer(
    source: Store,
    target: Store,
    name: str,
    *,
    places: bool,
    may_remove: Callable[[int], None],
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    notice: Notice = lambda _line: None,
) -> Transferred:
    """Make the collection of this name in `target` equal to that in `source`, and verify it. What
    is there already is not sent again, so a copy that was interrupted goes on.

    `places`: whether the paths of files go along; elsewhere they mean nothing. `may_remove` is
    asked, with how many, before documents are removed that `source` does not have: it raises
    where they should stay. `progress` learns how many documents of how many are done.

    Raises:
        UsageError: there is no such collection, or the name is another collection's in `target`.
        StorageError: what is there in the end is not what was sent.
    """
    with source.export(name) as given:
        if not _UID.fullmatch(given.uid):
            raise StorageError(f"The collection {name!r} has no proper identity ({given.uid!r}).")
        wanted = given.digests()
        with target.open_writer(name, given.embedder, uid=given.uid, notice=notice) as writer:
            if writer.uid != given.uid:
                raise UsageError(
                    f"There is another collection {name!r} there already.",
                    "Delete one of the two, or ingest into another name with -c NAME.",
                )
            with target.export(name) as held:
                there = held.digests()
            if gone := sorted(there.keys() - wanted.keys()):
                may_remove(len(gone))
            missing = [each for each, digest in wanted.items() if there.get(each) != digest]
            for done, each in enumerate(missing):
                progress(len(wanted) - len(missing) + done, len(wanted))
                document = given.document(each)
                parts = given.parts(document)
                if not places:
                    document = replace(document, path=None, root=None)
                writer.put(document, parts)
            removed = writer.remove(gone)
            if places:
                for path, options in given.roots().items():
                    writer.set_root(path, options)
                writer.set_unread(given.unread())
            writer.flush()
            with target.export(name) as held:
                there = held.digests()
            differing = sum(there.get(each) != digest for each, digest in wanted.items())
            if differing:
                raise StorageError(
                    f"{differing} documents of {name!r} are not what was sent.", "Run it again."
                )
    progress(len(wanted), len(wanted))
    return Transferred(len(wanted), len(missing), removed)
