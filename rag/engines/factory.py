"""Which engine thinks, chosen from the settings alone, and the one line that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.engines.protocol import Engine
from rag.index.reader import CollectionReader
from rag.reading.meaning import RankedCollection
from state.choices import EngineName, GraderChoice, Verifier
from state.settings import Settings

if TYPE_CHECKING:
    from rag.engines.local.engine import LocalEngine


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """`notice` is for stderr: where documents will be sent, unless the person named the engine; or
    what cannot be heeded without a model.
    """

    name: EngineName
    notice: str | None = None


def choose_engine(settings: Settings) -> EngineChoice:
    """Auto is openai when a key or a base URL is set, else local."""
    if settings.engine is not EngineName.AUTO:
        local = settings.engine is EngineName.LOCAL
        return EngineChoice(settings.engine, _lacking(settings) if local else None)
    if settings.base_url is None and settings.api_key is None:
        return EngineChoice(EngineName.LOCAL, _lacking(settings))
    from rag.endpoint.address import host_of

    host = host_of(settings.base_url)
    return EngineChoice(
        EngineName.OPENAI,
        f"Using model {settings.model} at {host}: retrieved documents are sent there "
        "(--engine local keeps them here).",
    )


def _lacking(settings: Settings) -> str | None:
    """What was asked for and takes a model, which the local engine has not."""
    asked = []
    if settings.grader is GraderChoice.MODEL:
        asked.append(f"--grader {settings.grader.value}")
    if settings.verify is Verifier.MODEL:
        asked.append(f"--verify {settings.verify.value}")
    if not asked:
        return None
    return f"The local engine has no model: {' and '.join(asked)} cannot be heeded."


def local_engine(reader: CollectionReader) -> LocalEngine:
    """It judges by the collection's own search, and by what the reader makes of what was found."""
    from rag.engines.local.engine import LocalEngine

    plain, meaning = reader, None
    if isinstance(reader, RankedCollection):
        plain, meaning = reader.plain, reader.meaning
    return LocalEngine(plain, meaning)


def build_engine(name: EngineName, settings: Settings, reader: CollectionReader) -> Engine:
    """The engine that was chosen, over one collection.

    Raises:
        SettingsError: the openai engine lacks a usable URL or key.
    """
    local = local_engine(reader)
    if name is EngineName.LOCAL:
        return local
    from rag.engines.openai.openai_engine import OpenAIEngine

    return OpenAIEngine.connect(settings, local)
