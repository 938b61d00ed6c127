"""Whether the files behind a collection are still what was indexed: a stat each, no more."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.index.protocol import FileStat
from rag.ingest.roots import is_finished

if TYPE_CHECKING:
    from rag.index.store import Store

MOST_FILES = 20_000
"""At most so many files are checked, those indexed last: it takes some 0.1 s."""


@dataclass(frozen=True, slots=True)
class Staleness:
    """`changed` and `gone` count indexed files; `checked` of `files` were looked at. `unfinished`:
    one of the folders was not read to its end.
    """

    files: int
    checked: int
    changed: int
    gone: int
    unfinished: bool

    @property
    def line(self) -> str | None:
        """One line for the person, or None when all is fresh."""
        count = self.changed + self.gone
        if self.unfinished:
            return "a folder was not read to its end; run `crag ingest` again for the rest."
        if not count:
            return None
        least = "at least " if self.checked < self.files else ""
        are = "file has" if count == 1 else "files have"
        return f"{least}{count:,} indexed {are} changed or gone since; run `crag ingest` again."


def staleness(store: Store, collection: str, *, most: int = MOST_FILES) -> Staleness:
    """Look at the files of a collection; documents that are no files of this machine do not count.

    Raises:
        NoIndexError: nothing was ingested.
        StorageError: the catalog cannot be read.
    """
    with store.contents(collection) as held:
        files, rows = held.newest_files(store.host, most)
        unfinished = not all(map(is_finished, held.roots(store.host).values()))
    changed = gone = 0
    for path, known in rows:
        try:
            now = FileStat.of(os.stat(path))
            # The inode's own time, at which an ingest looks too, changes with its rights alone.
            changed += (now.size, now.modified_ns) != (known.size, known.modified_ns)
        except OSError:
            gone += 1
    return Staleness(files, len(rows), changed, gone, unfinished)
