"""A copy of a collection that another machine keeps on a Chroma server.

Where `--store` names a server and this machine has no collection of the name itself, the
server's documents are copied into the catalog here, and brought up to date before they are
asked. The copy is an ordinary collection, with one root: the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from rag.embed.protocol import EmbedderIdentity
from rag.index import collection_rows
from rag.index.catalog import catalog_path, connect, mapped_errors
from rag.index.protocol import CollectionWriter, DocumentPart, IndexedDocument, Notice
from rag.index.sharing.origin import Origin, origin_of
from rag.index.sharing.record import Head, RecordDamaged, unpack_head, unpack_part
from rag.index.sharing.shelf import Shelf, find_shelf, whole_documents
from rag.index.writer import open_writer
from state.errors import NoIndexError, RemoteStoreError, StoreBusyError

_HEADS, _PARTS = 200, 32
_TRIES = 3
_WAIT_SECONDS = 120.0


class _Changed(Exception):  # noqa: N818 - a state of the server, not a failure shown to anyone
    """What was listed is no longer there: its owner is at work."""


def refresh_copy(
    home: Path,
    name: str,
    embedder: EmbedderIdentity,
    store: str,
    notice: Notice = lambda _line: None,
) -> bool:
    """Bring the copy of a server's collection up to date, or make it where there is none.

    Returns whether the collection of this name is such a copy; False where it is this
    machine's own or neither here nor there.

    Raises:
        RemoteStoreError: there is no copy yet and the server cannot be reached or fails.
        EmbedderMismatchError: the server's was embedded by another embedder.
        StorageError, StoreBusyError: as `open_writer`.

    """
    here, origin = _known(home, name)
    if here and origin is None:
        return False
    whole = origin is not None and origin.token
    try:
        shelf = find_shelf(store, name, None if origin is None else origin.uid)
        if shelf is None:
            return origin is not None
        with shelf:
            if origin is None or origin.token != shelf.token:
                collection_rows.check_same_embedder(name, shelf.embedder, embedder)
                if not whole:
                    notice(f"Copying the collection {name!r} from {store}.")
                wait = 0.0 if whole else _WAIT_SECONDS
                with open_writer(home, name, embedder, wait=wait, notice=notice) as writer:
                    _copy(writer, shelf, store, embedder.dimension)
    except StoreBusyError:
        if not whole:
            raise
        # Another process is at it: what is here is whole.
    except RemoteStoreError as error:
        if not whole:
            raise
        notice(f"{error.message} Answering from the copy here.")
    return True


def _known(home: Path, name: str) -> tuple[bool, Origin | None]:
    """(whether there is a collection of this name here, where it was copied from)."""
    try:
        connection = connect(home)
    except NoIndexError:
        return False, None
    with closing(connection), mapped_errors(catalog_path(home)):
        row = collection_rows.find(connection, name)
        if row is None:
            return False, None
        return True, origin_of(collection_rows.roots(connection, row))


def _copy(writer: CollectionWriter, shelf: Shelf, store: str, dimension: int) -> None:
    origin = origin_of(writer.roots())
    if origin is not None and origin.token == shelf.token:
        return  # another process made it meanwhile
    uid = str(shelf.about.get("uid"))
    if origin is None:
        writer.set_root(store, Origin(store, uid, "").options)
    for _ in range(_TRIES):
        try:
            _make_equal(writer, shelf, dimension)
            break
        except RecordDamaged as error:
            raise RemoteStoreError(
                f"The collection {writer.name!r} on {store} is damaged: {error}.",
                "Ingest again on the machine that owns it.",
            ) from error
        except _Changed:
            continue
    else:
        if origin is None or not origin.token:
            raise StoreBusyError(
                f"The collection {writer.name!r} on {store} keeps changing.", "Try again."
            )
        return  # the copy is whole, and older; the next question tries again
    writer.flush()
    if origin is not None and origin.store != store:
        writer.forget_root(origin.store)
    writer.set_root(store, Origin(store, uid, shelf.token).options)


def _make_equal(writer: CollectionWriter, shelf: Shelf, dimension: int) -> None:
    there = whole_documents(shelf.identifiers())
    here = {document.content_hash: document.source for document in writer.documents()}
    missing = sorted(there - here.keys())
    replaced = set()
    for first in range(0, len(missing), _HEADS):
        heads = _heads(shelf, missing[first : first + _HEADS])
        parts = _parts(shelf, heads)
        for head in heads:
            own = islice(parts, head.parts)
            writer.put(head.document, _unpacked(head.document, own, dimension))
            replaced.add(head.document.source)
    writer.remove(
        source for key, source in here.items() if key not in there and source not in replaced
    )


def _heads(shelf: Shelf, keys: Sequence[str]) -> list[Head]:
    heads = []
    for key, data in zip(keys, shelf.read(keys), strict=True):
        if data is None:
            raise _Changed
        heads.append(unpack_head(data, key))
    return heads


def _parts(shelf: Shelf, heads: Sequence[Head]) -> Iterator[object]:
    """The data of all parts of all heads, in order."""
    ids = (
        f"{head.document.content_hash}.{number}" for head in heads for number in range(head.parts)
    )
    while some := list(islice(ids, _PARTS)):
        for data in shelf.read(some):
            if data is None:
                raise _Changed
            yield data


def _unpacked(
    document: IndexedDocument, parts: Iterator[object], dimension: int
) -> Iterator[DocumentPart]:
    start = 0
    for data in parts:
        part = unpack_part(data, document, start, dimension)
        start += len(part.text)
        yield part
