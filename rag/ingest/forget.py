"""Taking a folder or file out of a collection, also one that has gone from the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rag.index.collection_rows import CollectionRow
from rag.ingest.roots import Root
from state.errors import UsageError

if TYPE_CHECKING:
    from rag.index.store import Store


@dataclass(frozen=True, slots=True)
class Holding:
    """What a collection has of `path`: a folder with all below it, or one file."""

    collection: CollectionRow
    path: str
    sources: list[str]
    unread: list[str]
    roots: list[str]


def holding(store: Store, collection: str, typed: str) -> Holding:
    """What `forget` would take out; the files themselves need not exist any more.

    Raises:
        NoIndexError, UsageError: there is no such collection, or it has nothing of the path.
        StorageError: the catalog cannot be read.
    """
    path = os.path.realpath(typed)
    folder = Root(path, typed, is_file=False)

    def below(other: str) -> bool:
        return other == path or folder.holds(other)

    with store.contents(collection) as held:
        sources = [each.source for each in held.documents() if each.path and below(each.path)]
        unread = [file.path for file in held.unread() if below(file.path)]
        roots = list(held.roots())
    found = Holding(held.row, path, sources, unread, list(filter(below, roots)))
    if not (sources or unread or found.roots):
        near = get_close_matches(path, roots, n=1)
        listed = f"`crag collections show {collection}` lists what it holds."
        raise UsageError(
            f"The collection {collection!r} holds nothing of {typed}.",
            f"Did you mean {near[0]}?" if near else listed,
        )
    return found


def forget(
    store: Store, held: Holding, *, notice: Callable[[str], None] = lambda _line: None
) -> int:
    """Remove the documents of `held`; how many there were.

    Raises:
        StoreBusyError, StorageError: as `Store.open_writer`.
    """
    named, embedder = held.collection.name, held.collection.embedder
    with store.open_writer(named, embedder, notice=notice) as writer:
        removed = writer.remove(held.sources)
        writer.set_unread((), forget=held.unread)
        for root in held.roots:
            writer.forget_root(root)
    return removed
