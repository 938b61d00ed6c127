"""The index of a dataset: made once for its content and settings, below CRAG_HOME/eval."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from rag.documents.cleaning import clean, one_line
from rag.documents.stream import Part
from rag.embed.protocol import Embedder
from rag.evaluate.datasets import CorpusDocument, Dataset, read_corpus
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from rag.index.writer import CollectionWriter
from rag.ingest.file_text import READING
from rag.ingest.sync import ingest
from rag.opening import build_embedder, store_of
from rag.text.chunk import chunk_parts
from state.documents import Chunk
from state.errors import NoIndexError, UsageError
from state.events import IngestEvent
from state.extras import package_version
from state.settings import Settings

Progress = Callable[[str, int, int | None], None]
"""Receives what is going on ("index", "measure", "grade"), how many are done, and of how many, None
where that is not known."""
_WAIT_SECONDS = 600
_TOGETHER = 256


def prepare(
    dataset: Dataset,
    settings: Settings,
    collection: str | None,
    on: Progress,
    notify: Callable[[str], None],
) -> Settings:
    """The settings under which the dataset's index, made if need be, is the collection.

    With `collection` that one is used as it is.

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
    key = _fingerprint(dataset.documents, embedder, settings)
    home = settings.home / "eval" / "indexes" / key
    ready = settings.model_copy(update={"home": home, "collection": f"eval-{key}", "thread": None})
    finished = home / "documents"
    if not finished.is_file():
        count = _index(dataset.documents, ready, embedder, on, notify)
        if not count:
            raise NoIndexError(f"The dataset {dataset.name} holds no document with text.")
        home.mkdir(parents=True, exist_ok=True)  # in a shared store nothing is kept there
        finished.write_text(f"{count}\n")
    return ready


def _fingerprint(documents: Path, embedder: Embedder, settings: Settings) -> str:
    """Of the documents, and of what else an index depends on."""
    release = package_version("crag-cli", "source")
    # A file's source is its path: the index of a moved folder is another one.
    named = (str(documents.resolve()), str(embedder.identity), settings.store, READING, release)
    digest = hashlib.blake2b(json.dumps(named).encode(), digest_size=10)
    files = sorted(documents.rglob("*")) if documents.is_dir() else [documents]
    for file in files:
        if file.is_file():
            digest.update(f"{file.relative_to(documents.parent)}\0{file.stat().st_size}\0".encode())
            with file.open("rb") as data:
                while block := data.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()


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
            settings.collection, embedder.identity, wait=_WAIT_SECONDS, notice=notify
        ) as writer:
            return _index_corpus(read_corpus(documents), writer, embedder, on)
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


def _index_corpus(
    documents: Iterator[CorpusDocument], writer: CollectionWriter, embedder: Embedder, on: Progress
) -> int:
    """Put every document; returns how many hold text."""
    count = with_text = 0
    while batch := list(islice(documents, _TOGETHER)):
        read = [_read(document) for document in batch]
        texts = [embedding_text(chunk) for _, _, chunks in read for chunk in chunks]
        vectors = embedder.embed_documents(texts)
        for row, text, chunks in read:
            rows, vectors = vectors[: len(chunks)], vectors[len(chunks) :]
            writer.put(row, [DocumentPart(text, chunks, rows)])
        count += len(batch)
        with_text += sum(bool(text) for _, text, _ in read)
        on("index", count, None)
    writer.flush()
    return with_text


def _read(document: CorpusDocument) -> tuple[IndexedDocument, str, list[Chunk]]:
    """The document as it is kept, its text and its chunks."""
    text = clean(document.text)
    title = one_line(document.title) if document.title else None
    chunks = [chunk.of(document.id, title) for chunk in chunk_parts([Part(text)], "text")]
    content = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return IndexedDocument(document.id, None, None, content, title=title), text, chunks
