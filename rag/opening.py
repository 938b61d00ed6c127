"""What the settings name, opened: a store, an embedder, a collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, cast

from state.choices import EmbedderName
from state.errors import UsageError
from state.settings import Settings

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Embedder
    from rag.index.home.store import HomeStore
    from rag.index.postgres.store import PostgresStore
    from rag.index.reader import CollectionReader


def store_of(settings: Settings) -> HomeStore | PostgresStore:
    """Where collections are kept: in the home, or in a shared Postgres that the settings name.
    Nothing is opened or connected before its first use.
    """
    if settings.store is None:
        from rag.index.home.store import HomeStore

        return HomeStore(settings.home, settings.chroma_url)
    from rag.index.postgres.store import PostgresStore

    return PostgresStore(settings.store, settings.store_schema)


def build_embedder(settings: Settings) -> Embedder:
    """The embedder of the settings; nothing is loaded or sent before its first text.

    Raises:
        SettingsError: a remote embedder lacks a usable URL or key.
    """
    if settings.embedder is EmbedderName.BUILTIN:
        from rag.embed.builtin import builtin_embedder

        return builtin_embedder()
    from rag.embed.openai import OpenAIEmbedder

    return OpenAIEmbedder(settings)


@contextmanager
def open_reader(
    settings: Settings, notify: Callable[[str], None] = lambda _line: None
) -> Iterator[CollectionReader]:
    """The collection that `settings` name, closed at the end of the block.

    Raises:
        NoIndexError, UsageError, EmbedderMismatchError: as `Store.open_collection`; or nothing
            matches `settings.files`.
    """
    store, embedder, files = store_of(settings), build_embedder(settings), _chosen(settings.files)
    with closing(
        store.open_collection(settings.collection, embedder, notify, files=files)
    ) as reader:
        if files is not None and not reader.document_count:
            raise UsageError(
                f"No document of {reader.name!r} matches {settings.files!r}.",
                "`crag collections show` lists them; `*` does not match a slash, `**/` does.",
            )
        yield _ranked(settings, reader)


def _chosen(glob: str | None) -> GitIgnoreSpec | None:
    """Which sources a glob means, as a line of a .gitignore means files.

    Raises:
        UsageError: it is none.
    """
    if glob is None:
        return None
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines([glob])
    except ValueError as error:
        raise UsageError(f"--files: {error}.") from None


def _ranked(settings: Settings, collection: CollectionReader) -> CollectionReader:
    """In the order of the reader in the box, where its weights were fetched."""
    from rag.reading.meaning import Meaning, RankedCollection

    return cast("CollectionReader", RankedCollection(collection, Meaning(settings.home)))
