"""The shared store that the settings name: whether it answers, and what this role may do there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rag.doctor.indexes import check_embedder, check_files
from rag.doctor.part_check import REPAIR, Check, ill, well
from state.counting import many
from state.errors import CragError

if TYPE_CHECKING:
    from rag.embed.protocol import EmbedderIdentity
    from rag.index.postgres.store import PostgresStore


def check_store(store: PostgresStore, embedder: EmbedderIdentity) -> Iterator[Check]:
    """Looks only: the server, the replica, and every collection's rows against its totals."""
    try:
        yield well("store", store.about())
        for each in store.summaries():
            yield from check_embedder(each.name, each.embedder, embedder)
            if wrong := store.differences(each.name):
                yield ill(f"{each.name}: rows", "; ".join(wrong), REPAIR)
            else:
                yield well(f"{each.name}: rows", many(each.chunks, "chunk"))
            yield check_files(store, each.name)
    except CragError as error:
        yield ill("store", error.message, error.hint)


def repair_store(store: PostgresStore, tell: Callable[[str], None]) -> None:
    """Builds again, from the stored text, the lexical index of a collection that is not well.

    Raises:
        StoreBusyError: an ingest is at work.
    """
    for name in store.names():
        if store.differences(name):
            tell(f"{name}: building the lexical index again")
            store.rebuild(name)
