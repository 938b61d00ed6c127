"""Opens what the settings name: the store, the collection, the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from state.choices import EngineName, GraderChoice, Verifier
from state.settings import Settings

if TYPE_CHECKING:
    from rag.engines.local.engine import LocalEngine
    from rag.engines.protocol import Engine
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


@contextmanager
def open_reader(
    settings: Settings, notify: Callable[[str], None] = lambda _line: None
) -> Iterator[CollectionReader]:
    """The collection that `settings` name, closed at the end of the block.

    Raises:
        NoIndexError, UsageError, EmbedderMismatchError: as `Store.open_collection`.
    """
    from rag.reading.reranker import Reranker

    with closing(store_of(settings).open_collection(settings.collection, notify)) as reader:
        reader.rerank = Reranker(settings.home).rerank
        yield reader


def choose_engine(settings: Settings) -> EngineName:
    """Auto is openai when a key or a base URL is set, else local."""
    if settings.engine is not EngineName.AUTO:
        return settings.engine
    named = settings.base_url is not None or settings.api_key is not None
    return EngineName.OPENAI if named else EngineName.LOCAL


def engine_notice(settings: Settings) -> str | None:
    """What a person should know of the engine: where documents will be sent; or what was asked for
    and cannot be heeded without a model.
    """
    if choose_engine(settings) is EngineName.LOCAL:
        asked = {"grader": settings.grader is GraderChoice.MODEL}
        asked |= {"verify": settings.verify is Verifier.MODEL}
        flags = " and ".join(f"--{name} model" for name, given in asked.items() if given)
        return f"The local engine has no model: {flags} cannot be heeded." if flags else None
    from rag.endpoint.address import host_of

    return (
        f"Using model {settings.model} at {host_of(settings.base_url)}: retrieved documents are"
        " sent there (--engine local keeps them here)."
    )


def build_engine(settings: Settings, local: LocalEngine) -> Engine:
    """The engine of the settings; `local` itself, or one that it helps.

    Raises:
        SettingsError: the openai engine lacks a usable URL or key.
    """
    if choose_engine(settings) is EngineName.LOCAL:
        return local
    from rag.engines.openai.openai_engine import OpenAIEngine

    return OpenAIEngine.connect(settings, local)
