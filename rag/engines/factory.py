"""Which engine thinks, chosen from the settings alone, and the one line that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.endpoint.address import host_of
from rag.engines.protocol import Engine
from rag.index.protocol import CollectionReader
from rag.index.reranked import RerankedCollection
from state.choices import EngineName
from state.settings import Settings

if TYPE_CHECKING:
    from rag.engines.local.engine import LocalEngine


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """`notice` is for stderr: where documents will be sent; None if they stay here, or if
    the person named the engine.
    """

    name: EngineName
    notice: str | None = None


def choose_engine(settings: Settings) -> EngineChoice:
    """Auto is openai when a key or a base URL is set, else local."""
    if settings.engine is not EngineName.AUTO:
        return EngineChoice(settings.engine)
    if settings.base_url is None and settings.api_key is None:
        return EngineChoice(EngineName.LOCAL)
    host = host_of(settings.base_url)
    return EngineChoice(
        EngineName.OPENAI,
        f"Using model {settings.model} at {host}: retrieved documents are sent there "
        "(--engine local keeps them here).",
    )


def local_engine(reader: CollectionReader) -> LocalEngine:
    """It judges by the collection's own search: a reranker is for what is retrieved."""
    from rag.engines.local.engine import LocalEngine

    return LocalEngine(reader.plain if isinstance(reader, RerankedCollection) else reader)


def build_engine(settings: Settings, reader: CollectionReader) -> Engine:
    """The engine of `choose_engine`, over one collection; grades are kept in its store.

    Raises:
        SettingsError: the openai engine lacks a usable URL or key.
    """
    local = local_engine(reader)
    if choose_engine(settings).name is EngineName.LOCAL:
        return local
    from rag.engines.openai.openai_engine import OpenAIEngine
    from rag.index.stores import store_of

    return OpenAIEngine.connect(settings, local, store_of(settings).grades())
