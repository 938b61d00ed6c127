"""A session's threads: history for the turn, a saver around it, the finished turn kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Self

from state.checkpoints import open_checkpoints
from state.history import read_history
from state.threads import open_turn_store

if TYPE_CHECKING:
    from rag.index.protocol import CollectionReader
    from state.answer import Answer
    from state.checkpoints import TurnSaver
    from state.graph_state import HistoryTurn
    from state.settings import Settings


class ThreadMemory:
    """The turn store and the checkpoints that the settings name; a context manager.

    Every method raises StorageError, StoreBusyError or RemoteStoreError when they fail.
    """

    def __init__(self, settings: Settings) -> None:
        self._budget = settings.history_tokens
        self._resources = ExitStack()
        self.turns = self._resources.enter_context(open_turn_store(settings.home, settings.threads))
        self._checkpoints = self._resources.enter_context(
            open_checkpoints(settings.home, settings.threads)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._resources.close()

    @contextmanager
    def turn(self, thread: str) -> Iterator[TurnSaver]:
        """A checkpointer whose writes are kept only if the block ends well."""
        with self._checkpoints.turn(thread) as saver:
            yield saver

    def history(self, thread: str) -> list[HistoryTurn]:
        """The slice of earlier turns that fits the token budget, oldest first."""
        from state.tokens import count_tokens

        return read_history(self.turns, thread, self._budget, count_tokens)

    def record(
        self, thread: str, answer: Answer, reader: CollectionReader, *, pin: bool = False
    ) -> int:
        """Keep a finished turn with the content hashes of the files it cites."""
        files: dict[str, str] = {}
        for citation in answer["citations"]:
            document = reader.document(citation["source"])
            if document is not None:
                files[document.source] = document.content_hash
        return self.turns.append(thread, answer, milestone=pin, files=files)

    def newest_thread(self) -> str | None:
        """The thread used last, or None where there is none yet."""
        threads = self.turns.threads()
        return threads[0].name if threads else None
