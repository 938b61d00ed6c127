"""A collection opened as the settings name it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from state.settings import EmbedderName, Settings

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder
    from rag.index.protocol import CollectionReader


def build_embedder(settings: Settings) -> Embedder:
    """The embedder of the settings; nothing is loaded or sent before its first text.

    Raises:
        SettingsError: a remote embedder lacks a usable URL or key.

    """
    if settings.embedder is EmbedderName.BUILTIN:
        from rag.embed.builtin import BuiltinEmbedder

        return BuiltinEmbedder()
    from rag.embed.openai import OpenAIEmbedder

    return OpenAIEmbedder.connect(settings)


@contextmanager
def open_reader(
    settings: Settings, notify: Callable[[str], None] = lambda _line: None
) -> Iterator[CollectionReader]:
    """The collection that `settings` name, closed at the end of the block.

    Raises:
        NoIndexError, UsageError, EmbedderMismatchError: as `open_collection`.

    """
    from rag.index.collection import open_collection

    collection = open_collection(
        settings.home,
        settings.collection,
        build_embedder(settings),
        store=settings.store,
        notice=notify,
        exact_chunks=settings.exact_chunks,
    )
    try:
        yield _reranked(settings, collection, notify)
    finally:
        collection.close()


def _reranked(
    settings: Settings, collection: CollectionReader, notify: Callable[[str], None]
) -> CollectionReader:
    if settings.reranker_url is None:
        return collection
    from rag.endpoint.rerank import Reranker
    from rag.index.reranked import RerankedCollection

    reranker = Reranker.connect(settings)
    if reranker is None:
        return collection
    if not reranker.loopback:
        notify(f"Retrieved documents are sent to {reranker.host}, which puts them in order.")
    return RerankedCollection(collection, reranker, notify)
