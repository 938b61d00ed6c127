"""The documents of a collection on a Chroma server, beside their vectors.

One Chroma collection of records: `KEY` is a document's head, `KEY.0`, `KEY.1` … its parts. A
head is written last and removed first, so that who sees a head finds the whole document.
Records are told apart by id alone; the vectors that Chroma asks for mean nothing.
"""

from __future__ import annotations

import contextlib
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rag.embed.protocol import EmbedderIdentity
from rag.index.chroma_collection import ChromaCollection, closed_if_failed
from rag.index.chroma_errors import VectorsDamaged, foreign_errors
from rag.index.chroma_server import connect_server
from rag.index.sharing.record import in_batches
from state.errors import RemoteStoreError, UsageError

KIND = "crag.documents/1"
_BATCH_CHARACTERS = 2 << 20
_PAGE = 5_000


class Shelf(ChromaCollection):
    """One collection's records on one server."""

    def __init__(self, client: Any, collection: Any, url: str) -> None:
        super().__init__(client, collection, url)
        self._url = url
        self.about: dict[str, Any] = dict(collection.metadata or {})

    @property
    def token(self) -> str:
        """What `seal` wrote last: another one says that something changed."""
        return str(self.about.get("token", ""))

    @property
    def embedder(self) -> EmbedderIdentity:
        about = self.about
        return EmbedderIdentity(
            str(about.get("embedder")), int(about.get("dimension", 0)), str(about.get("version"))
        )

    def identifiers(self) -> list[str]:
        """The ids of all records, in no order."""
        with self._mapped():
            ids: list[str] = self._collection.get(include=[])["ids"]
        return ids

    def read(self, identifiers: Sequence[str]) -> list[object]:
        """The data of the records, in the order asked; None for one that is not there."""
        with self._mapped():
            found = self._collection.get(ids=list(identifiers), include=["metadatas"])
        held = {
            identifier: (fields or {}).get("data")
            for identifier, fields in zip(found["ids"], found["metadatas"], strict=True)
        }
        return [held.get(identifier) for identifier in identifiers]

    def write(self, rows: Iterable[tuple[str, str]]) -> None:
        """(id, data) pairs, in order."""
        for batch in in_batches(rows, _BATCH_CHARACTERS):
            with self._mapped():
                self._collection.upsert(
                    ids=[identifier for identifier, _ in batch],
                    embeddings=[_point(identifier) for identifier, _ in batch],
                    metadatas=[{"data": data} for _, data in batch],
                )

    def remove(self, identifiers: Iterable[str]) -> None:
        """Records; where a document goes with all its parts, its head goes first."""
        doomed = sorted(identifiers, key=lambda each: "." in each)
        with self._mapped():
            for first in range(0, len(doomed), _PAGE):
                self._collection.delete(ids=doomed[first : first + _PAGE])

    def seal(self, token: str) -> None:
        self.about = {**self.about, "token": token, "published": time.time()}
        with self._mapped():
            self._collection.modify(metadata=self.about)

    @contextlib.contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            with super()._mapped():
                yield
        except VectorsDamaged as error:
            raise RemoteStoreError(f"The Chroma server {self._url} failed: {error}.") from error


def whole_documents(identifiers: Iterable[str]) -> set[str]:
    """The keys of the documents whose head is among these records."""
    return {each for each in identifiers if "." not in each}


def shelf_name(uid: str) -> str:
    return f"crag-{uid}-documents"


def own_shelf(url: str, name: str, uid: str, embedder: EmbedderIdentity) -> Shelf:
    """The shelf of the collection of this uid, made if need be.

    Raises:
        RemoteStoreError: the server cannot be reached or fails.

    """
    about = {
        "kind": KIND,
        "collection": name,
        "uid": uid,
        "embedder": embedder.name,
        "dimension": embedder.dimension,
        "version": embedder.version,
    }
    client = connect_server(url)
    with closed_if_failed(client), foreign_errors(url):
        collection = client.get_or_create_collection(
            shelf_name(uid), metadata=about, embedding_function=None
        )
        return Shelf(client, collection, url)


def refuse_a_taken_name(url: str, name: str, uid: str) -> None:
    """Two owners of a name would answer each other's readers.

    Raises:
        UsageError: the collection of this name there is of another uid.
        RemoteStoreError: the server cannot be reached or fails.

    """
    shelf = find_shelf(url, name)
    if shelf is None:
        return
    with shelf:
        if shelf.about.get("uid") == uid:
            return
        raise UsageError(
            f"The collection {name!r} on {url} belongs to another machine, or to a home that"
            " was deleted.",
            "Choose another name with -c NAME, or delete it there.",
        )


def find_shelf(url: str, name: str, uid: str | None = None) -> Shelf | None:
    """The shelf of this uid, or else the newest of a collection of this name.

    Raises:
        RemoteStoreError: the server cannot be reached or fails.

    """
    client = connect_server(url)
    with closed_if_failed(client), foreign_errors(url):
        found = [
            each
            for each in client.list_collections()
            if (each.metadata or {}).get("kind") == KIND
            and each.metadata.get("token")
            and (
                each.metadata.get("uid") == uid if uid else each.metadata.get("collection") == name
            )
        ]
        if found:
            newest = max(found, key=lambda each: float(each.metadata.get("published", 0)))
            return Shelf(client, newest, url)
    client.close()
    return None


def _point(identifier: str) -> list[float]:
    """Any two records apart; nobody searches for it."""
    return [1.0, zlib.crc32(identifier.encode()) / 2**32]
