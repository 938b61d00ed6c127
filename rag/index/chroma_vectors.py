"""One collection's vectors in Chroma: ids and vectors, nothing else, by its public API.

Whatever goes wrong inside is `VectorsDamaged`, and the catalog builds it again.
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index.chroma import VectorsDamaged, chroma_settings, chromadb_module, foreign_errors
from rag.index.chroma_place import ChromaPlace, ChromaState, require_unchanged
from state.closing import Closing
from state.errors import StorageError

BATCH = 1_000
"""Of an upsert: as many as Chroma saves at once, so that its log stays small."""
_SEARCH_WIDTH = 200
_NEEDED_FILES = 32
"""Open ones, about twice what a folder was seen to take: without them Chroma reports damage."""


class ChromaVectors(Closing):
    """Ids are the catalog's chunk rows."""

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

    def nearest(self, query: Vectors, limit: int) -> dict[int, float]:
        """The cosines of the nearest chunks by row, best first."""
        with foreign_errors():
            found = self._collection.query(
                query_embeddings=[query], n_results=limit, include=["distances"]
            )
            pairs = zip(found["ids"][0], found["distances"][0], strict=True)
            return {int(number): 1.0 - float(distance) for number, distance in pairs}


def create_vectors(place: ChromaPlace, generation: str) -> ChromaVectors:
    """An empty collection; raises as `open_vectors`."""
    with foreign_errors():
        client = _client(place, generation)
        with contextlib.ExitStack() as opened:
            opened.callback(_close, client)
            collection = client.create_collection(
                _name(place, generation),
                metadata=_metadata(place.identity),
                configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH}},
                embedding_function=None,
            )
            opened.pop_all()
    return ChromaVectors(client, collection, place.identity)


def open_vectors(place: ChromaPlace, state: ChromaState) -> ChromaVectors:
    """What the catalog's row tells of.

    Raises:
        VectorsDamaged: it is not there, cannot be opened, or is something else.
        StorageError: this process may open too few files for it.
    """
    if place.url is None:
        require_unchanged(place.root / state.generation, state.files)
        if not (place.root / state.generation / "chroma.sqlite3").is_file():
            raise VectorsDamaged("missing")
    with foreign_errors():
        client = _client(place, state.generation)
        with contextlib.ExitStack() as opened:
            opened.callback(_close, client)
            name = _name(place, state.generation)
            collection = client.get_collection(name, embedding_function=None)
            if collection.metadata != {**_metadata(place.identity), "token": state.token}:
                raise VectorsDamaged("not what was last written")
            opened.pop_all()
    return ChromaVectors(client, collection, place.identity)


def drop_server_vectors(place: ChromaPlace, generation: str) -> None:
    """Of a server that cannot be reached they stay; no name is given twice."""
    with contextlib.suppress(VectorsDamaged, StorageError), foreign_errors():
        client = _client(place, generation)
        with contextlib.closing(client):
            client.delete_collection(_name(place, generation))


def _client(place: ChromaPlace, generation: str) -> Any:
    if place.url is not None:
        parts = urlsplit(place.url)
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 8000)
        return chromadb_module().HttpClient(
            host=parts.hostname, port=port, ssl=secure, settings=chroma_settings()
        )
    _require_open_files()
    folder = place.root / generation
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return chromadb_module().PersistentClient(path=str(folder), settings=chroma_settings())


def _close(client: Any) -> None:
    with contextlib.suppress(Exception):
        client.close()


def _name(place: ChromaPlace, generation: str) -> str:
    return f"crag-{place.uid}-{generation}"


def _metadata(identity: EmbedderIdentity) -> dict[str, str | int]:
    return {"embedder": str(identity), "dimension": identity.dimension}


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
