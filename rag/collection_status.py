"""What there is: collections, how stale they are, which models would be used, how large."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict

from rag.embed.builtin import builtin_embedder
from rag.embed.weights import installed_models
from rag.index.collection_rows import no_such_collection
from rag.ingest.file_text import reading_version
from rag.ingest.staleness import staleness
from rag.opening import choose_engine, store_of
from state.answer import EngineInfo
from state.choices import EngineName
from state.settings import Settings


class Status(TypedDict):
    """`crag.status/1`. `collections`: each one's CollectionSummary, and its Staleness as `stale`;
    `reader` names the weights that were fetched, None where none were; `bytes` on disk, of the
    home and of the shared store.
    """

    schema: str
    home: str
    engine: EngineInfo
    reader: str | None
    collections: list[dict[str, Any]]
    bytes: int


def read_status(settings: Settings, only: str | None = None) -> Status:
    """Look at the home of the settings. `only`: one collection.

    Raises:
        UsageError, NoIndexError: there is no collection of that name.
        StorageError: the catalog cannot be read.
    """
    store = store_of(settings)
    summaries = store.summaries()
    found = [each for each in summaries if only in (None, each.name)]
    if only is not None and not found:
        raise no_such_collection(only, [each.name for each in summaries])
    engine = choose_engine(settings)
    readers = installed_models(settings.home)
    return {
        "schema": "crag.status/1",
        "home": str(settings.home),
        "engine": {
            "name": engine.value,
            "model": settings.model if engine is EngineName.OPENAI else None,
            "embedder": str(builtin_embedder().identity),
        },
        "reader": ", ".join(each.name for each in readers) or None,
        "collections": [
            {
                **asdict(each),
                "embedder": str(each.embedder),
                "stale": asdict(staleness(store, each.name, reading=reading_version())),
            }
            for each in found
        ],
        "bytes": _disk_bytes(settings.home) + store.disk_bytes(),
    }


def _disk_bytes(home: Path) -> int:
    """What the disk has allocated under `home`: a store may preallocate sparse files."""
    octets = 0
    for path in home.rglob("*"):
        with suppress(OSError):  # gone meanwhile
            octets += path.lstat().st_blocks * 512
    return octets
