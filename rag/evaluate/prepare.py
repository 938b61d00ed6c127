"""The index of a dataset: made once for its content and settings, below CRAG_HOME/eval."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from shutil import rmtree
from typing import Any

from rag.documents.cleaning import clean, one_line
from rag.documents.stream import Part
from rag.embed.protocol import Embedder
from rag.evaluate.datasets import CorpusDocument, Dataset, read_corpus
from rag.evaluate.measurements import Progress
from rag.index.catalog import catalog_path
from rag.index.collection_writer import CollectionWriter
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from rag.index.stores import store_of
from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.text.chunk import chunk_parts
from state.documents import Chunk
from state.errors import CragError, NoIndexError, UsageError
from state.ingest_events import IngestEvent
from state.settings import Settings

_UNUSED_DAYS = 30
_WAIT_SECONDS = 600
_TOGETHER = 256
# What the text, the chunks and the vectors of an index depend on.
_INDEXING = (
    *("text", "documents", "embed", "ingest"),
    *("index/catalog_schema", "index/codec", "index/lexical", "index/lexicons/english"),
    "index/terms",
)


def prepare(
    dataset: Dataset,
    settings: Settings,
    collection: str | None,
    on: Progress,
    notify: Callable[[str], None],
) -> Settings:
    """The settings under which the dataset's index, made if need be, is the collection.

    With `collection` that one is used as it is. Indexes unused for a month are deleted.

    Raises:
        UsageError: the dataset has no documents of its own and no collection was named.
        NoIndexError: it has documents, and none has text.
    """
    if collection is not None:
        return settings.model_copy(update={"collection": collection, "thread": None})
    if dataset.documents is None:
        raise UsageError(
            f"{dataset.folder} has neither corpus.jsonl nor files/.",
            "Name a collection that holds its documents with --collection.",
        )
    embedder = build_embedder(settings)
    key = fingerprint(
        {
            "content": _content_hash(dataset.documents),
            # A file's source is its path: the index of a moved folder is another one.
            "files": dataset.files and dataset.files.resolve(),
            "embedder": str(embedder.identity),
            "store": settings.store,
            "code": code_fingerprint(*_INDEXING),
        }
    )
    indexes = settings.home / "eval" / "indexes"
    ready = settings.model_copy(
        update={"home": indexes / key, "collection": f"eval-{key}", "thread": None}
    )
    finished = ready.home / "documents"
    # A catalog that was damaged may have been moved away, as was advised.
    lost = settings.store is None and not catalog_path(ready.home).is_file()
    if lost or not finished.is_file():
        count = _index(dataset.documents, ready, embedder, on, notify)
        if not count:
            raise NoIndexError(f"The dataset {dataset.name} holds no document with text.")
        finished.write_text(f"{count}\n")
    os.utime(finished)
    _forget_unused(indexes, settings, keep=key)
    return ready


def _index(
    documents: Path,
    settings: Settings,
    embedder: Embedder,
    on: Progress,
    notify: Callable[[str], None],
) -> int:
    """Returns how many documents hold text. What could not be read is told."""
    if documents.is_file():
        with store_of(settings).open_writer(
            settings.one_collection, embedder.identity, wait=_WAIT_SECONDS, notice=notify
        ) as writer:
            return index_corpus(read_corpus(documents), writer, embedder, on)
    total = done = 0

    def on_event(event: IngestEvent) -> None:
        nonlocal total, done
        if event["event"] == "planned":
            total = event["files"]
        else:
            done += 1
        on("index", done, total)

    report = ingest(settings, embedder, [str(documents)], on_event=on_event, notice=notify)
    for path, reason in report.failed:
        notify(f"{path} could not be read: {reason}.")
    return report.documents


def index_corpus(
    documents: Iterable[CorpusDocument], writer: CollectionWriter, embedder: Embedder, on: Progress
) -> int:
    """Put every document that is not in the collection yet; returns how many hold text."""
    known = {document.source: document.content_hash for document in writer.documents()}
    count = with_text = 0
    remaining = iter(documents)
    while batch := list(islice(remaining, _TOGETHER)):
        new = [_read(d, h) for d in batch if known.get(d.id) != (h := _hash_of(d))]
        vectors = embedder.embed_documents([embedding_text(c) for *_, held in new for c in held])
        start = 0
        for document, text, chunks in new:
            rows = vectors[start : start + len(chunks)]
            start += len(chunks)
            writer.put(document, [DocumentPart(text, chunks, rows)])
        count += len(batch)
        with_text += sum(bool(document.text.strip()) for document in batch)
        on("index", count, None)
    writer.flush()
    return with_text


def _hash_of(document: CorpusDocument) -> str:
    data = f"{document.title or ''}\0{document.text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _read(document: CorpusDocument, content_hash: str) -> tuple[IndexedDocument, str, list[Chunk]]:
    """The document as it is kept, its text and its chunks."""
    text = clean(document.text)
    title = one_line(document.title) if document.title else None
    chunks = [chunk.of(document.id, title) for chunk in chunk_parts([Part(text)], "text")]
    row = IndexedDocument(
        source=document.id, path=None, root=None, content_hash=content_hash, title=title
    )
    return row, text, chunks


def _content_hash(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        digest.update(f"{file.relative_to(path.parent)}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as data:
            while block := data.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def fingerprint(value: Mapping[str, Any]) -> str:
    """A short name for a configuration: equal for equal JSON."""
    data = json.dumps(value, sort_keys=True, default=str).encode()
    return hashlib.blake2b(data, digest_size=10).hexdigest()


@cache
def code_fingerprint(*parts: str) -> str:
    """Of the program's own files: other code measures and indexes differently.

    `parts` are names below rag/; without any, all of rag/ and state/ counts.
    """
    rag = Path(__file__).parents[1]
    roots = [rag / part for part in parts] if parts else [rag, rag.parent / "state"]
    digest = hashlib.blake2b(digest_size=10)
    for root in roots:
        found = root.rglob("*") if root.is_dir() else root.parent.glob(f"{root.name}*.*")
        for file in sorted(found):
            if file.suffix in {".py", ".json", ".txt"}:
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _forget_unused(indexes: Path, settings: Settings, keep: str) -> None:
    oldest = time.time() - _UNUSED_DAYS * 86_400
    for folder in indexes.iterdir():
        finished = folder / "documents"
        if folder.name != keep and finished.is_file() and finished.stat().st_mtime < oldest:
            if settings.store is not None:
                with suppress(CragError):  # gone already, or for its owner to delete
                    store_of(settings).delete(f"eval-{folder.name}")
            rmtree(folder)
