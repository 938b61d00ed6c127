"""corpus.jsonl to a collection: each line is its own document, whose source is its id."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
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
    remaining = iter(documents)
    while batch := list(islice(remaining, _TOGETHER)):
        new = [_read(d, h) for d in batch if known.get(d.id) != (h := _content_hash(d))]
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


def _content_hash(document: CorpusDocument) -> str:
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
