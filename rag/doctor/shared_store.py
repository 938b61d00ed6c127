"""The shared store that the settings name: whether it answers, and what this role may do there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rag.doctor.part_check import REPAIR, Check, ill, well
from rag.ingest.staleness import staleness
from state.counting import many
from state.errors import CragError

if TYPE_CHECKING:
    from rag.embed.protocol import EmbedderIdentity
    from rag.index.postgres.store import PostgresStore


def check_store(store: PostgresStore, embedder: EmbedderIdentity) -> Iterator[Check]:
    """Looks only: the server, the replica, and every collection's rows against its totals."""
    try:
        yield well("store", store.about())
        yield from _collections(store, embedder)
    except CragError as error:
        yield ill("store", error.message, error.hint)


def _collections(store: PostgresStore, embedder: EmbedderIdentity) -> Iterator[Check]:
    for each in store.summaries():
        if each.embedder != embedder:
            yield ill(
                f"{each.name}: embedder",
                f"embedded by {each.embedder}, the settings name {embedder}",
                f"Choose that embedder, or `crag collections delete {each.name}` and ingest again",
            )
        wrong = store.differences(each.name)
        if wrong:
            yield ill(f"{each.name}: rows", "; ".join(wrong), REPAIR)
        else:
            yield well(f"{each.name}: rows", many(each.chunks, "chunk"))
        stale = staleness(store, each.name)
        yield well(f"{each.name}: files", stale.line or f"{many(stale.checked, 'file')} as indexed")


def repair_store(store: PostgresStore, tell: Callable[[str], None]) -> None:
    """Builds again, from the stored text, the lexical index of a collection that is not well.

    Raises:
        StoreBusyError: an ingest is at work.

    """
    for name in store.names():
        if store.differences(name):
            tell(f"{name}: building the lexical index again")
            store.rebuild(name)
