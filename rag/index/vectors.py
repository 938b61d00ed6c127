"""Chroma beneath the catalog: ids and vectors, nothing else.

A folder is neither crash-safe nor process-safe, so nobody trusts it by itself: it is written
under the collection's lock between two marks in the catalog, and carries the token of its
last complete write. Whatever goes wrong inside is `VectorsDamaged`, and the catalog builds
it again.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index.chroma_import import chroma_settings, chromadb_module
from state.errors import RemoteStoreError, SettingsError, StorageError

SCHEMA = "1"
BATCH = 5_000
_CONNECT_SECONDS = 3.0
_REQUEST_SECONDS = 60.0
_SEARCH_WIDTH = 200


class VectorsDamaged(Exception):  # noqa: N818 - a state of the folder, not a failure shown to anyone
    """The vectors are missing, stale or unreadable; the catalog still has them all."""


class ChromaVectors:
    """One collection's vectors in one Chroma collection; ids are the catalog's chunk rows."""

    def __init__(self, client: Any, collection: Any, remote: str | None) -> None:
        self._client = client
        self._collection = collection
        self._remote = remote

    def token(self) -> str | None:
        """What `seal` wrote last."""
        metadata = self._collection.metadata or {}
        token = metadata.get("token")
        return None if token is None else str(token)

    def seal(self, identity: EmbedderIdentity, token: str) -> None:
        """Marks what is stored as complete."""
        with self._mapped():
            self._collection.modify(metadata={**_metadata(identity), "token": token})

    def count(self) -> int:
        with self._mapped():
            return int(self._collection.count())

    def holds(self, count: int) -> bool:
        """Whether it can be read and holds so many; never raises for a damaged one."""
        try:
            return self.count() == count
        except VectorsDamaged:
            return False

    def upsert(self, ids: Sequence[int], vectors: Vectors) -> None:
        """At most BATCH rows at a time."""
        with self._mapped():
            self._collection.upsert(ids=[str(number) for number in ids], embeddings=vectors)

    def delete(self, ids: Sequence[int]) -> None:
        with self._mapped():
            for first in range(0, len(ids), BATCH):
                some = ids[first : first + BATCH]
                self._collection.delete(ids=[str(number) for number in some])

    def nearest(self, query: Vectors, limit: int) -> list[tuple[int, float]]:
        """(chunk row, cosine), best first."""
        with self._mapped():
            found = self._collection.query(
                query_embeddings=[query], n_results=limit, include=["distances"]
            )
            pairs = zip(found["ids"][0], found["distances"][0], strict=True)
            return [(int(number), 1.0 - float(distance)) for number, distance in pairs]

    def close(self) -> None:
        with contextlib.suppress(Exception):  # a damaged store may fail to close, too
            self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _mapped(self) -> Iterator[None]:
        with _foreign_errors(self._remote):
            yield


def open_folder(path: Path, identity: EmbedderIdentity, *, create: bool = False) -> ChromaVectors:
    """The vectors in a folder of ours.

    Raises:
        VectorsDamaged: there is none, or it cannot be opened, or is of another embedder.

    """
    if not create and not (path / "chroma.sqlite3").is_file():
        raise VectorsDamaged("missing")
    with _foreign_errors(None):
        path.mkdir(parents=True, exist_ok=True)
        client = chromadb_module().PersistentClient(path=str(path), settings=chroma_settings())
    return _collection(client, "chunks", identity, create=create, remote=None)


def open_server(
    url: str, name: str, identity: EmbedderIdentity, *, create: bool = False
) -> ChromaVectors:
    """The vectors on a Chroma server.

    Raises:
        RemoteStoreError: the server cannot be reached or fails.
        VectorsDamaged: it does not hold them, or those of another embedder.

    """
    check_server(url)
    with _foreign_errors(url):
        client = _server_client(url)
        client._server._session.timeout = _REQUEST_SECONDS  # noqa: SLF001 - there is no setting
    return _collection(client, name, identity, create=create, remote=url)


def check_server(url: str) -> None:
    """A heartbeat of at most a few seconds.

    Raises:
        SettingsError: this is no URL of a server.
        RemoteStoreError: nobody answers there as Chroma does.

    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"--store {url!r} is no URL of a Chroma server.", "As http://host:8000")
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.hostname, port or (443 if secure else 8000), timeout=_CONNECT_SECONDS)
    try:
        connection.request("GET", "/api/v2/heartbeat")
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        raise RemoteStoreError(
            f"The Chroma server {url} cannot be reached: {error or type(error).__name__}.",
            "Start it, or leave --store away.",
        ) from error
    finally:
        connection.close()
    if status != http.client.OK:
        raise RemoteStoreError(f"The server {url} does not answer as Chroma does ({status}).")


def _server_client(url: str) -> Any:
    parts = urlsplit(url)
    # Loopback is never behind a proxy, whatever the environment says.
    with _no_proxy(parts.hostname or ""):
        return chromadb_module().HttpClient(
            host=parts.hostname,
            port=parts.port or (443 if parts.scheme == "https" else 8000),
            ssl=parts.scheme == "https",
            settings=chroma_settings(),
        )


def delete_server_collection(url: str, name: str) -> None:
    """Forgets vectors on a server; none there is fine."""
    check_server(url)
    with _foreign_errors(url):
        client = _server_client(url)
        try:
            if name in {found.name for found in client.list_collections()}:
                client.delete_collection(name)
        finally:
            client.close()


def plausible_size(path: Path, count: int, dimension: int) -> bool:
    """Whether a folder is no larger than its vectors explain: a damaged one can fill a disk."""
    size = sum(
        os.stat(os.path.join(folder, name)).st_blocks * 512  # noqa: PTH116, PTH118 - a hot path
        for folder, _, names in os.walk(path)
        for name in names
    )
    return size <= 64_000_000 + count * (dimension * 4 + 1_000) * 6


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


def delete_folder(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)


def _collection(
    client: Any, name: str, identity: EmbedderIdentity, *, create: bool, remote: str | None
) -> ChromaVectors:
    try:
        with _foreign_errors(remote):
            if create:
                collection = client.create_collection(
                    name,
                    metadata=_metadata(identity),
                    configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH}},
                    embedding_function=None,
                )
            else:
                collection = client.get_collection(name, embedding_function=None)
            metadata = dict(collection.metadata or {})
    except BaseException:
        with contextlib.suppress(Exception):
            client.close()
        raise
    found = ChromaVectors(client, collection, remote)
    metadata.pop("token", None)
    if metadata != _metadata(identity):
        found.close()
        raise VectorsDamaged("of another embedder")
    return found


def _metadata(identity: EmbedderIdentity) -> dict[str, str | int]:
    return {"embedder": str(identity), "dimension": identity.dimension, "schema": SCHEMA}


_NO_ROOM = re.compile(r"disk is full|No space left|readonly database|Read-only file system")


@contextlib.contextmanager
def _foreign_errors(remote: str | None) -> Iterator[None]:
    """Whatever Chroma raises, as damage (its errors have no common class) or as the server's."""
    try:
        yield
    except (MemoryError, KeyError) as error:
        raise VectorsDamaged(str(error)) from error
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        missing = type(error).__name__ == "NotFoundError"
        if remote is not None and not missing:
            raise RemoteStoreError(f"The Chroma server {remote} failed: {words}.") from error
        if _NO_ROOM.search(words):
            raise StorageError(
                "The disk is full or read-only; the vector store cannot be written.",
                "Free some space, then run the command again: what was read is kept.",
            ) from error
        raise VectorsDamaged(words) from error
    except BaseException as error:
        # A panic of the Rust core derives from BaseException.
        if type(error).__name__ == "PanicException":
            raise VectorsDamaged(str(error)) from error
        raise


@contextlib.contextmanager
def _no_proxy(host: str) -> Iterator[None]:
    if host not in ("localhost", "::1") and not host.startswith("127."):
        yield
        return
    before = {name: os.environ.get(name) for name in ("NO_PROXY", "no_proxy")}
    os.environ.update(dict.fromkeys(before, "*"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
