"""Chroma by its public API, kept from its surroundings, with its failures mapped to ours.

By itself chromadb reads `./.env` and the environment into settings and fails on what it
cannot parse there; neither is ours to obey. Nothing is sent anywhere, no model is fetched.
"""

from __future__ import annotations

import contextlib
import ctypes
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel
from pydantic_settings import BaseSettings

from rag.embed.protocol import Vectors
from state.closing import Closing, closed_on_failure
from state.errors import CragError, SetupError

_BATCH = 1_000
"""Vectors in an upsert: as many as Chroma saves at once, so that its log stays small."""
_SEARCH_WIDTH = 200
REPLY_SECONDS = 10.0
"""Within so many seconds a server has to say that it is there."""


class VectorsDamaged(Exception):  # noqa: N818 - a state of the folder, not a failure shown to anyone
    """The vectors are missing, stale, or cannot be used; the catalog still has them all."""


@cache
def chromadb_module() -> ModuleType:
    """The chromadb package.

    Raises:
        SetupError: it is not installed as it should be.
    """
    with _settings_of_values():
        try:
            import chromadb
            import chromadb.config
        except ImportError as error:
            raise SetupError(
                f"The chromadb package cannot be used: {error}.", "Install crag again."
            ) from error
    return chromadb


@contextlib.contextmanager
def _settings_of_values() -> Iterator[None]:
    """Chroma's settings are made of given values alone. At import it makes them six times, each
    time from `./.env` and the environment, which takes a third of that.
    """
    base: Any = BaseSettings
    usual = base.__init__

    def init(self: Any, /, *given: Any, **values: Any) -> None:
        of_chroma = type(self).__module__.startswith("chromadb.")
        (BaseModel.__init__ if of_chroma else usual)(self, *given, **values)

    base.__init__ = init
    try:
        yield
    finally:
        base.__init__ = usual


@contextlib.contextmanager
def foreign_errors() -> Iterator[None]:
    """Maps whatever Chroma raises to `VectorsDamaged`: its errors have no common class."""
    try:
        yield
    except (CragError, VectorsDamaged, sqlite3.Error):  # the last is the catalog's
        raise
    except BaseException as error:
        # A panic of the Rust core derives from BaseException.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise VectorsDamaged(f"{type(error).__name__}: {error}") from error


class ChromaVectors(Closing):
    """A collection of Chroma's, open. Ids are the catalog's chunk rows."""

    def __init__(self, where: Path | str, name: str, revision: int | None) -> None:
        """Opens the collection of this name in a folder or at a URL, or creates it where `revision`
        is None.

        Raises:
            VectorsDamaged: it is not there, cannot be opened, or holds another `revision`.
        """
        with foreign_errors():
            self._client = _client(where)
            with closed_on_failure(self):
                if revision is None:
                    self._collection = self._client.create_collection(
                        name,
                        configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH}},
                        embedding_function=None,
                    )
                    return
                self._collection = self._client.get_collection(name, embedding_function=None)
                if (self._collection.metadata or {}).get("revision") != revision:
                    raise VectorsDamaged("not what was last written")

    def close(self) -> None:
        with contextlib.suppress(Exception):  # a damaged store may fail to close, too
            self._client.close()

    def sync(
        self, wanted: set[int], vectors: Callable[[Sequence[int]], Vectors], revision: int
    ) -> bool:
        """Makes it hold the wanted chunks, by row, and notes the revision. False, and nothing is
        done, where none of its chunks would stay: an empty graph that was saved is written by all
        who open it, so that a new one has to be built.
        """
        with foreign_errors():
            known = set(map(int, self._collection.get(include=[])["ids"]))
            if known and known.isdisjoint(wanted):
                return False
            for ids in _batches(known - wanted):
                self._collection.delete(ids=list(map(str, ids)))
            for ids in _batches(wanted - known):
                self._collection.upsert(ids=list(map(str, ids)), embeddings=vectors(ids))
            if (count := self._collection.count()) != len(wanted):
                raise VectorsDamaged(f"{count} vectors where {len(wanted)} belong")
            self._collection.modify(metadata={"revision": revision})
            return True

    def nearest(self, query: Vectors, limit: int) -> dict[int, float]:
        """The cosines of the nearest chunks by row, best first."""
        with foreign_errors():
            found = self._collection.query(
                query_embeddings=[query], n_results=limit, include=["distances"]
            )
            pairs = zip(found["ids"][0], found["distances"][0], strict=True)
            return {int(number): 1.0 - float(distance) for number, distance in pairs}


def _batches(ids: set[int]) -> Iterator[list[int]]:
    ordered = sorted(ids)
    return (ordered[first : first + _BATCH] for first in range(0, len(ordered), _BATCH))


def drop_from_server(url: str, name: str) -> None:
    """Deletes a server's collection, or leaves it where that is away: no name is used twice."""
    with (
        contextlib.suppress(VectorsDamaged),
        foreign_errors(),
        contextlib.closing(_client(url)) as client,
    ):
        client.delete_collection(name)


def _client(where: Path | str) -> Any:
    chroma = chromadb_module()
    with _settings_of_values():
        settings = chroma.config.Settings(anonymized_telemetry=False)
    if isinstance(where, str):
        parts = urlsplit(where)
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 8000)
        _require_reply(f"{parts.scheme}://{parts.hostname}:{port}/api/v2/heartbeat")
        return chroma.HttpClient(host=parts.hostname, port=port, ssl=secure, settings=settings)
    where.mkdir(parents=True, exist_ok=True, mode=0o700)
    _keep_memory_private()
    return chroma.PersistentClient(path=str(where), settings=settings)


def _require_reply(url: str) -> None:
    """Raises where nobody replies in time: Chroma's client would wait for ever."""
    import httpx

    # Certificates are read for https alone: that takes longer than the reply.
    httpx.get(url, timeout=REPLY_SECONDS, verify=url.startswith("https:"))


@cache
def _keep_memory_private() -> None:
    """Hnswlib writes whole blocks of memory to its files, of which it has filled only a part: what
    lay there before, a key or a password, would be kept on disk. Where the C library can, memory is
    filled as it is given out, but for small blocks (some 400 bytes, `length.bin`), which it takes
    from a cache.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(-6, 1)  # M_PERTURB of glibc
