"""corpus.jsonl to a collection: each line is its own document, whose source is its id."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice

from rag.documents.cleaning import clean, one_line
from rag.documents.stream import Part
from rag.embed.protocol import Embedder
from rag.evaluate.datasets import CorpusDocument
from rag.evaluate.measurements import Progress
from rag.index.collection_writer import CollectionWriter
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from rag.text.chunk import chunk_parts
from state.documents import Chunk

_TOGETHER = 256


def index_corpus(
    documents: Iterable[CorpusDocument], writer: CollectionWriter, embedder: Embedder, on: Progress
) -> int:
    """Put every document that is not in the collection yet; returns how many hold text."""
    known = {document.source: document.content_hash for document in writer.documents()}
    count = with_text = 0
    for batch in _batches(documents):
        new = [(d, h) for d in batch if known.get(d.id) != (h := _content_hash(d))]
        chunks = [_chunks(document) for document, _ in new]
        vectors = embedder.embed_documents([embedding_text(c) for held in chunks for c in held])
        start = 0
        for (document, content_hash), held in zip(new, chunks, strict=True):
            rows = vectors[start : start + len(held)]
            start += len(held)
            writer.put(
                _indexed(document, content_hash), [DocumentPart(clean(document.text), held, rows)]
            )
        count += len(batch)
        with_text += sum(bool(document.text.strip()) for document in batch)
        on("index", count, None)
    writer.flush()
    return with_text


def _batches(documents: Iterable[CorpusDocument]) -> Iterator[list[CorpusDocument]]:
    iterator = iter(documents)
    while batch := list(islice(iterator, _TOGETHER)):
        yield batch


def _content_hash(document: CorpusDocument) -> str:
    data = f"{document.title or ''}\0{document.text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _title(document: CorpusDocument) -> str | None:
    return one_line(document.title) if document.title else None


def _chunks(document: CorpusDocument) -> list[Chunk]:
    parts = [Part(clean(document.text))]
    return [chunk.of(document.id, _title(document)) for chunk in chunk_parts(parts, "text")]


def _indexed(document: CorpusDocument, content_hash: str) -> IndexedDocument:
    return IndexedDocument(
        source=document.id,
        path=None,
        root=None,
        content_hash=content_hash,
        title=_title(document),
    )
