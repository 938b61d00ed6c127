"""What an agent may do with a collection over MCP: ask, search, list and read, no more.

Every argument is bounded, every failure is a tool error of one line, and nothing outside
the collection can be named: sources are looked up in the catalog, never on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypedDict

from rag.serving.confined import is_of_collection
from rag.session import Session, open_session
from state.answer import Answer
from state.errors import CragError, UsageError
from state.passages import RetrievedChunk
from state.settings import Settings

MAX_QUESTION = 20_000
MAX_K = 50
MAX_TURNS = 100
MAX_SOURCES = 1000
MAX_SOURCE_CHARACTERS = 20_000

Ingest = Callable[[list[str]], dict[str, Any]]


class SourceText(TypedDict):
    """A stretch of one source's extracted text; `next` is where to go on, None at its end."""

    source: str
    start: int
    text: str
    characters: int
    next: int | None


class CollectionTools:
    """The tools over one open session; calls are served one at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._session: Session | None = None
        self._lock = Lock()

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def ask(self, question: str) -> Answer:
        """Answer a question from the documents. Every sentence is cited to a place in a file; one
        marked (unverified) is not proved by it, and `claims` has the verdict of each. Status
        "abstained" means that the documents do not hold an answer.
        """
        with self._open() as session:
            return session.ask(_bounded(question))

    def search(self, query: str, k: int = 8) -> list[RetrievedChunk]:
        """The best chunks for a query, best first, with their text and place."""
        if not 1 <= k <= MAX_K:
            raise UsageError(f"k must be from 1 to {MAX_K}.")
        with self._open() as session:
            return session.reader.search(_bounded(query), k)

    def sources(self, limit: int = 200, after: str = "") -> list[str]:
        """The sources in the collection, in order; go on with `after` the last one."""
        from rag.index.inventory import read_inventory

        inventory = read_inventory(self._settings.home, self._settings.collection)
        documents = inventory.documents if inventory is not None else []
        names = sorted(document.source for document in documents if document.source > after)
        return names[: max(1, min(limit, MAX_SOURCES))]

    def read_source(self, source: str, start: int = 0) -> SourceText:
        """A stretch of one source's extracted text, from character `start`."""
        with self._open() as session:
            text = session.reader.document_text(source)
        if text is None:
            raise UsageError(f"There is no source {source!r} in the collection.")
        start = max(0, start)
        end = min(len(text), start + MAX_SOURCE_CHARACTERS)
        return {
            "source": source,
            "start": start,
            "text": text[start:end],
            "characters": len(text),
            "next": end if end < len(text) else None,
        }

    def status(self) -> dict[str, Any]:
        """What is indexed: documents, chunks, embedder, the folders they came from, and how many
        of their files have changed or gone since.
        """
        from rag.index.inventory import read_inventory
        from rag.ingest.staleness import staleness

        inventory = read_inventory(self._settings.home, self._settings.collection)
        with self._open() as session:
            reader = session.reader
            stale = staleness(self._settings.home, reader.name)
            return {
                "collection": reader.name,
                "documents": reader.document_count,
                "chunks": reader.chunk_count,
                "embedder": str(reader.embedder.identity),
                "folders": sorted(inventory.roots) if inventory is not None else [],
                "changed": stale.changed,
                "gone": stale.gone,
            }

    def thread_history(self, thread: str, limit: int = 20) -> list[dict[str, Any]]:
        """The newest turns of a conversation thread, newest first. Of a turn that drew on
        documents outside this collection only its number is told.
        """
        with self._open() as session:
            turns = session.memory.store.turns(
                thread, newest_first=True, limit=max(1, min(limit, MAX_TURNS))
            )
            return [
                dict(turn.answer)
                if is_of_collection(turn.answer, session.reader)
                else {"turn": turn.answer["turn"], "withheld": "not of this collection"}
                for turn in turns
            ]

    @contextmanager
    def _open(self) -> Iterator[Session]:
        with self._lock:
            if self._session is None:
                self._session = open_session(self._settings)
            yield self._session


def one_line(error: CragError) -> str:
    return str(error)[:500].encode("utf-8", "replace").decode()


def _bounded(text: str) -> str:
    text = text.strip()
    if not any(character.isalnum() for character in text):
        raise UsageError("The question is empty.")
    if len(text) > MAX_QUESTION:
        raise UsageError(f"A question has at most {MAX_QUESTION:,} characters.")
    return text
