"""Chroma beneath the catalog: ids and vectors, nothing else.

A folder is neither crash-safe nor process-safe, so nobody trusts it by itself: it is written
under the collection's lock between two marks in the catalog, and carries the token of its
last complete write. Whatever goes wrong inside is `VectorsDamaged`, and the catalog builds
it again.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sqlite3
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index.chroma import VectorsDamaged, chroma_settings, chromadb_module, foreign_errors
from state.closing import Closing
from state.errors import StorageError

SCHEMA = "1"
UNSEALED = "not what was last written"
BATCH = 5_000
_SEARCH_WIDTH = 200
_HEADER = struct.Struct("<i4Q")
"""Of hnswlib: its version, an offset, room for how many, how many there are, bytes of each."""
_NEEDED_FILES = 32
"""Open ones, about twice what a folder was seen to take: without them Chroma reports damage."""


class ChromaVectors(Closing):
    """One collection's vectors in one Chroma collection; ids are the catalog's chunk rows."""

    def __init__(self, client: Any, collection: Any, identity: EmbedderIdentity) -> None:
        self._client = client
        self._collection = collection
        self._identity = identity

    def close(self) -> None:
        with contextlib.suppress(Exception):  # a damaged store may fail to close, too
            self._client.close()

    def seal(self, token: str) -> None:
        """Marks what is stored as complete."""
        with foreign_errors():
            self._collection.modify(metadata={**_metadata(self._identity), "token": token})

    def count(self) -> int:
        with foreign_errors():
            return int(self._collection.count())

    def upsert(self, ids: Sequence[int], vectors: Vectors) -> None:
        """At most BATCH rows at a time."""
        with foreign_errors():
            self._collection.upsert(ids=[str(number) for number in ids], embeddings=vectors)

    def delete(self, ids: Sequence[int]) -> None:
        with foreign_errors():
            for first in range(0, len(ids), BATCH):
                some = ids[first : first + BATCH]
                self._collection.delete(ids=[str(number) for number in some])

    def nearest(self, query: Vectors, limit: int) -> list[tuple[int, float]]:
        """(chunk row, cosine), best first."""
        with foreign_errors():
            found = self._collection.query(
                query_embeddings=[query], n_results=limit, include=["distances"]
            )
            pairs = zip(found["ids"][0], found["distances"][0], strict=True)
            return [(int(number), 1.0 - float(distance)) for number, distance in pairs]


def open_folder(
    path: Path,
    identity: EmbedderIdentity,
    sealed: tuple[str, int] | None = None,
    *,
    create: bool = False,
) -> ChromaVectors:
    """The vectors in a folder of ours; `sealed`: the token and the count that they must have.

    Raises:
        VectorsDamaged: there is none, or it cannot be opened, or is not what it should be.
        StorageError: this process may open too few files for it.
    """
    if not create and not (path / "chroma.sqlite3").is_file():
        raise VectorsDamaged("missing")
    _require_open_files()
    with foreign_errors():
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        client = chromadb_module().PersistentClient(path=str(path), settings=chroma_settings())
        try:
            collection = _created(client, identity) if create else _found(client, identity, sealed)
        except BaseException:
            with contextlib.suppress(Exception):
                client.close()
            raise
    return ChromaVectors(client, collection, identity)


def shrink_folder(path: Path) -> None:
    """Gives back the room that Chroma's log of vectors has left empty; nobody has it open."""
    # Room is all that is at stake: a folder that cannot be shrunk now is as good as before.
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(path / "chroma.sqlite3", timeout=1)) as connection,
    ):
        free = connection.execute("PRAGMA freelist_count").fetchone()[0]
        if free * 5 > connection.execute("PRAGMA page_count").fetchone()[0]:
            connection.execute("VACUUM")


def clear_unset(path: Path) -> None:
    """Clears what Chroma's index holds room for and no vector is in: it writes there whatever lay
    in this process's memory, a key perhaps. Nobody has the folder open.
    """
    with foreign_errors():
        for header in path.glob("*/header.bin"):
            _version, _offset, _most, held, octets = _HEADER.unpack_from(header.read_bytes())
            for name, each in (("data_level0.bin", octets), ("length.bin", 4)):
                with header.with_name(name).open("r+b") as file:
                    whole = file.seek(0, os.SEEK_END)
                    file.truncate(held * each)
                    file.truncate(whole)


def _require_open_files() -> None:
    """See to it that this process may open as many files as Chroma needs.

    Raises:
        StorageError: its limit does not allow it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        wanted = len(os.listdir("/dev/fd")) + _NEEDED_FILES  # noqa: PTH208 - a count
    except OSError:
        wanted = soft + 1 if soft < _NEEDED_FILES else 0
    if wanted <= soft or soft == resource.RLIM_INFINITY:
        return
    if wanted <= hard or hard == resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return
    raise StorageError(
        f"The vector store needs {wanted} open files; this process may have {soft}.",
        "Raise its limit: `ulimit -n 256`.",
    )


def _created(client: Any, identity: EmbedderIdentity) -> Any:
    return client.create_collection(
        "chunks",
        metadata=_metadata(identity),
        configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH}},
        embedding_function=None,
    )


def _found(client: Any, identity: EmbedderIdentity, sealed: tuple[str, int] | None) -> Any:
    collection = client.get_collection("chunks", embedding_function=None)
    metadata = dict(collection.metadata or {})
    token = metadata.pop("token", None)
    if metadata != _metadata(identity):
        raise VectorsDamaged("of another embedder")
    if sealed is not None and (token, collection.count()) != sealed:
        raise VectorsDamaged(UNSEALED)
    return collection


def _metadata(identity: EmbedderIdentity) -> dict[str, str | int]:
    return {"embedder": str(identity), "dimension": identity.dimension, "schema": SCHEMA}
