"""Taking a folder or file out of a collection, also one that has gone from the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rag.index.contents import Inventory
from rag.ingest.roots import Root
from state.errors import UsageError

if TYPE_CHECKING:
    from rag.index.store import Store


@dataclass(frozen=True, slots=True)
class Holding:
    """What a collection has of `path`: a folder with all below it, or one file."""

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
    inventory = store.require_inventory(collection)
    path = os.path.realpath(typed)
    folder = Root(path, typed, is_file=False)

    def below(other: str) -> bool:
        return other == path or folder.holds(other)

    sources = [each.source for each in inventory.documents if each.path and below(each.path)]
    unread = [file.path for file in inventory.unread if below(file.path)]
    roots = [root for root in inventory.roots if below(root)]
    if not (sources or unread or roots):
        raise UsageError(
            f"The collection {collection!r} holds nothing of {typed}.", _hint(inventory, path)
        )
    return Holding(path, sources, unread, roots)


def forget(
    store: Store,
    collection: str,
    held: Holding,
    *,
    notice: Callable[[str], None] = lambda _line: None,
) -> int:
    """Remove the documents of `held`; how many there were.

    Raises:
        StoreBusyError, StorageError: as `Store.open_writer`.
    """
    embedder = store.require_inventory(collection).embedder
    with store.open_writer(collection, embedder, notice=notice) as writer:
        removed = writer.remove(held.sources)
        writer.set_unread((), forget=held.unread)
        for root in held.roots:
            writer.forget_root(root)
    return removed


def _hint(inventory: Inventory, path: str) -> str:
    near = get_close_matches(path, inventory.roots, n=1)
    if near:
        return f"Did you mean {near[0]}?"
    return f"`crag collections show {inventory.name}` lists what it holds."
