"""What there is: collections, how stale they are, which models would be used, how large."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from rag.embed.weights import held_model
from rag.index.collection_rows import CollectionSummary, no_such_collection
from rag.ingest.roots import is_unfinished
from rag.ingest.staleness import Staleness, staleness
from rag.opening import build_embedder, choose_engine, store_of
from rag.research.journal import Journal
from state.choices import EngineName
from state.settings import Settings

_PLACES = ("catalog", "vectors", "home", "reading", "models")


@dataclass(frozen=True, slots=True)
class CollectionStatus:
    """`unfinished`: folders and files whose last ingest was interrupted."""

    totals: CollectionSummary
    stale: Staleness
    unfinished: list[str]


@dataclass(frozen=True, slots=True)
class Status:
    """`octets`: bytes on disk of each part of the home; `model` is None without one, `reader` where
    its weights were not fetched; `research`: the runs that can go on, each id with its question.
    """

    home: str
    engine: str
    model: str | None
    embedder: str
    reader: str | None
    collections: list[CollectionStatus]
    octets: dict[str, int]
    research: dict[str, str]


def read_status(settings: Settings, only: str | None = None) -> Status:
    """Look at the home of the settings. `only`: one collection.

    Raises:
        UsageError, NoIndexError: there is no collection of that name.
        StorageError: the catalog cannot be read.
    """
    store = store_of(settings)
    found = store.summaries()
    if only is not None:
        names = [each.name for each in found]
        if only not in names:
            raise no_such_collection(only, names)
        found = [each for each in found if each.name == only]
    engine = choose_engine(settings).name
    reader = held_model(settings.home)
    with Journal(settings.home) as journal:
        research = {run["id"]: run["asked"] for run in journal.unfinished()}
    return Status(
        home=str(settings.home),
        engine=engine.value,
        model=settings.model if engine is EngineName.OPENAI else None,
        embedder=str(build_embedder(settings).identity),
        reader=reader.name if reader is not None else None,
        collections=[
            CollectionStatus(
                each,
                staleness(store, each.name),
                [root.path for root in store.roots(each.name) if is_unfinished(root.options)],
            )
            for each in found
        ],
        octets=_octets(settings.home) | store.octets(),
        research=research,
    )


def _octets(home: Path) -> dict[str, int]:
    """Bytes under `home`, by what its entries are named for."""
    sizes = dict.fromkeys([*_PLACES, "other"], 0)
    for path, _, names in os.walk(home):
        folder = Path(path)
        inside = folder.relative_to(home).parts
        for name in names:
            entry = inside[0] if inside else name
            kind = next((place for place in _PLACES if entry.startswith(place)), "other")
            try:
                # Allocated, as the disk counts it: a store may preallocate sparse files.
                sizes[kind] += (folder / name).lstat().st_blocks * 512
            except OSError:  # gone meanwhile
                continue
    return sizes
