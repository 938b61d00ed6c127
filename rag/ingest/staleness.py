"""Whether the files behind a collection are still what was indexed: a stat each, no more."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.index.protocol import FileStat
from rag.ingest.roots import is_finished
from state.choices import ingest_command

if TYPE_CHECKING:
    from rag.index.store import Store


@dataclass(frozen=True, slots=True)
class Staleness:
    """`changed` and `gone` count indexed files, `outdated` those that would be read otherwise now;
    `checked` of `files` were looked at. `unfinished`: one of the folders was not read to its end.
    """

    files: int
    checked: int
    changed: int
    gone: int
    outdated: int
    unfinished: bool

    def line(self, collection: str) -> str | None:
        """One line for the person who asks this collection, or None when all is fresh."""
        again = f"run `{ingest_command(collection)}` again"
        if self.unfinished:
            return f"a folder was not read to its end; {again} for the rest."
        changed = self.changed + self.gone
        what = "changed or gone since" if changed else "been read otherwise than crag reads now"
        if not (count := changed or self.outdated):
            return None
        least = "at least " if self.checked < self.files else ""
        have = "file has" if count == 1 else "files have"
        return f"{least}{count:,} indexed {have} {what}; {again}."


def staleness(
    store: Store, collection: str, *, most: int = sys.maxsize, reading: str = ""
) -> Staleness:
    """Look at the files of a collection, at most so many, those indexed last; documents that are no
    files of this machine do not count. Nothing is outdated where no version of `reading` is given.

    Raises:
        NoIndexError: nothing was ingested.
        StorageError: the catalog cannot be read.
    """
    with store.contents(collection) as held:
        files, rows = held.newest_files(store.host, most)
        unfinished = not all(map(is_finished, held.roots(store.host).values()))
    changed = gone = outdated = 0
    for path, content_hash, known in rows:
        outdated += not content_hash.startswith(reading)
        try:
            now = FileStat.of(os.stat(path))
            # The inode's own time, at which an ingest looks too, changes with its rights alone.
            changed += (now.size, now.modified_ns) != (known.size, known.modified_ns)
        except OSError:
            gone += 1
    return Staleness(files, len(rows), changed, gone, outdated, unfinished)
