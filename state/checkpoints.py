"""LangGraph's checkpoints by thread, in an SQLite file or a Postgres; whole turns only.

A turn's checkpoint is held back until the turn has ended well, so a turn that fails, is
interrupted or killed leaves its thread as it was before the question, and nothing of it
need be undone. Keeping a turn also removes what it supersedes: one checkpoint a thread.
"""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from state.closing import Closing
from state.sql_place import SqlPlace
from state.sqlite_file import transaction

if TYPE_CHECKING:
    import psycopg
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.postgres import PostgresSaver
    from langgraph.checkpoint.sqlite import SqliteSaver

_PRUNE_ATTEMPTS = 3


class TurnSaver(BaseCheckpointSaver[Any]):
    """What a graph is compiled with: reads the kept checkpoint, holds the turn's own back. The
    graph is run with the durability "exit": it makes one, as it ends, or none where it only
    stopped to ask; its writes (the interrupt) then belong to the one that was there.
    """

    def __init__(self, kept: BaseCheckpointSaver[Any], place: SqlPlace) -> None:
        super().__init__(serde=kept.serde)
        self._kept = kept
        self._place = place
        self.puts: list[tuple[RunnableConfig, Checkpoint, CheckpointMetadata, ChannelVersions]] = []
        self._writes: list[tuple[RunnableConfig, Sequence[tuple[str, Any]], str, str]] = []

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with self._place.failures():
            try:
                return self._kept.get_tuple(config)
            except (ValueError, KeyError, TypeError, EOFError, NotImplementedError):
                return None  # damaged, or of a version that nobody reads: made anew from the turns

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        self.puts.append((config, checkpoint, metadata, new_versions))
        return {"configurable": {**config["configurable"], "checkpoint_id": checkpoint["id"]}}

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self._writes.append((config, list(writes), task_id, task_path))

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._kept.get_next_version(current, channel)

    def keep(self) -> None:
        """Write what was held back."""
        for put in self.puts:
            self._kept.put(*put)
        for write in self._writes:
            self._kept.put_writes(*write)


class Checkpoints(Closing):
    """The checkpoints of one CRAG_HOME or one Postgres, behind one of LangGraph's own savers."""

    _saver: Any = None

    def __init__(self, place: SqlPlace) -> None:
        self._place = place

    def saver(self) -> Any:
        """The saver, connected; called once a turn."""
        connection = self._place.connected()
        if self._saver is None or self._saver.conn is not connection:
            self._saver = self._saver_on(connection)
        return self._saver

    @abstractmethod
    def _saver_on(self, connection: Any) -> BaseCheckpointSaver[Any]: ...

    @abstractmethod
    def _prune(self, thread: str) -> None:
        """Remove the thread's checkpoints but for the newest."""

    @contextmanager
    def turn(self, thread: str) -> Iterator[TurnSaver]:
        """A saver for one turn of `thread`, kept if the block ends well, else as if never.

        Raises:
            StorageError, StoreBusyError, RemoteStoreError: the place failed.
        """
        with self._place.failures():
            turn = TurnSaver(self.saver(), self._place)
        yield turn
        with self._place.failures():
            turn.keep()
            if turn.puts:
                self._prune(thread)

    def delete(self, thread: str) -> None:
        with self._place.failures():
            self.saver().delete_thread(thread)

    def close(self) -> None:
        self._place.close()


class HomeCheckpoints(Checkpoints):
    """Through LangGraph's SqliteSaver."""

    def _saver_on(self, connection: sqlite3.Connection) -> SqliteSaver:
        from langgraph.checkpoint.sqlite import SqliteSaver

        saver = SqliteSaver(connection)
        saver.setup()
        return saver

    def _prune(self, thread: str) -> None:
        """SqliteSaver has no prune of its own. Ids sort by time (UUID version 6); no channel
        of ours is a DeltaChannel, whose history would lie in the older rows.
        """
        saver = self.saver()
        with saver.lock, transaction(saver.conn):
            for table in ("writes", "checkpoints"):
                saver.conn.execute(
                    f"delete from {table} where thread_id = ?1 and checkpoint_id <"  # noqa: S608
                    " (select max(checkpoint_id) from checkpoints where thread_id = ?1)",
                    (thread,),
                )


class TeamCheckpointer(Checkpoints):
    """Through LangGraph's PostgresSaver."""

    def _saver_on(self, connection: psycopg.Connection[Any]) -> PostgresSaver:
        from langgraph.checkpoint.postgres import PostgresSaver

        return PostgresSaver(connection)

    def _prune(self, thread: str) -> None:
        """Another process may be pruning the same thread: then the next turn does it."""
        import psycopg

        for _ in range(_PRUNE_ATTEMPTS):
            try:
                self.saver().prune([thread], strategy="keep_latest")
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                continue
            return
