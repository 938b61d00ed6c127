"""The index of a dataset, made once for its content and settings, below CRAG_HOME/eval."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from rag.documents.cleaning import clean, shorten
from rag.documents.stream import Part
from rag.embed.builtin import builtin_embedder
from rag.evaluate.datasets import CorpusDocument, Dataset, read_corpus
from rag.index.protocol import DocumentPart, IndexedDocument, Notice
from rag.index.writer import CollectionWriter
from rag.ingest.file_text import READER_VERSION
from rag.ingest.sync import ingest
from rag.opening import store_of
from rag.text.chunk import chunk_parts
from state.errors import UsageError
from state.events import IngestEvent
from state.extras import package_version
from state.settings import Settings

Progress = Callable[[str, int, int | None], None]
"""Receives a step (such as "index"), how many are done, and of how many, None if unknown."""
_TOGETHER = 256


def prepare(
    dataset: Dataset, settings: Settings, collection: str | None, on: Progress, notify: Notice
) -> Settings:
    """Settings whose collection is the dataset's index, which is made if need be.

    With `collection` that one is used as it is.

    Raises:
        UsageError: the dataset has no documents of its own and no collection was named.
    """
    if collection is not None:
        return settings.model_copy(update={"collection": collection, "thread": None})
    if dataset.documents is None:
        raise UsageError(
            f"{dataset.folder} has neither corpus.jsonl nor files/.",
            "Name a collection that holds its documents with --collection.",
        )
    key = _fingerprint(dataset.documents, settings)
    home = settings.home / "eval" / "indexes" / key
    ready = settings.model_copy(update={"home": home, "collection": f"eval-{key}", "thread": None})
    finished = home / "documents"
    if dataset.files is not None:
        _index_files(dataset.files, ready, on, notify)
    elif not finished.is_file():
        with store_of(ready).open_writer(ready.collection, notify) as writer:
            _index_corpus(read_corpus(dataset.documents), writer, on)
        home.mkdir(parents=True, exist_ok=True)  # with a shared store it does not exist yet
        finished.touch()
    return ready


def _fingerprint(documents: Path, settings: Settings) -> str:
    """A hash of a corpus, or of a folder's path, and of all else that the index depends on."""
    release = package_version("crag-cli", "source")
    path, identity = str(documents.resolve()), str(builtin_embedder().identity)
    named = (path, identity, settings.store, READER_VERSION, release)
    digest = hashlib.blake2b(json.dumps(named).encode(), digest_size=10)
    if documents.is_file():
        with documents.open("rb") as data:
            while block := data.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _index_files(files: Path, settings: Settings, on: Progress, notify: Notice) -> None:
    """Ingest the files and report failures."""
    total = done = 0

    def on_event(event: IngestEvent) -> None:
        nonlocal total, done
        if event["event"] == "planned":
            total = event["files"]
        else:
            done += 1
        on("index", done, total)

    report = ingest(settings, [str(files)], on_event=on_event, notice=notify)
    for path, reason in report.failed:
        notify(f"{path} could not be read: {reason}.")


def _index_corpus(
    documents: Iterator[CorpusDocument], writer: CollectionWriter, on: Progress
) -> None:
    count = 0
    while batch := list(islice(documents, _TOGETHER)):
        writer.put_all(list(map(_read, batch)))
        count += len(batch)
        on("index", count, None)


def _read(document: CorpusDocument) -> tuple[IndexedDocument, list[DocumentPart]]:
    """A document's row in the index, and its one part."""
    text = clean(document.text)
    title = shorten(document.title) if document.title else None
    chunks = (chunk.of(document.id, title) for chunk in chunk_parts([Part(text)], "text"))
    row = IndexedDocument(document.id, None, None, content_hash="", title=title)
    return row, [DocumentPart(text, tuple(chunks))]
