"""LangGraph's checkpoints of threads, kept in the home or in Postgres, of whole turns only.

A turn's checkpoint is held back until the turn has ended well, so a turn that fails, is interrupted
or killed leaves its thread as it was before the question, and nothing has to be undone. Keeping a
turn removes the checkpoint that it supersedes: a thread has one.
"""

from __future__ import annotations

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

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from state.home_db import HomeDb
    from state.postgres import TeamDb


class TurnSaver(BaseCheckpointSaver[Any]):
    """The checkpointer of one turn: it reads the kept checkpoint and holds the turn's own back. The
    graph runs with the durability "exit", so it puts one checkpoint as it ends.
    """

    def __init__(
        self, kept: BaseCheckpointSaver[Any], database: HomeDb | TeamDb, thread: str
    ) -> None:
        super().__init__(serde=kept.serde)
        self._kept = kept
        self._thread = thread
        self._database = database
        self.puts: list[tuple[RunnableConfig, Checkpoint, CheckpointMetadata, ChannelVersions]] = []

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with self._database.failures():
            try:
                return self._kept.get_tuple(config)
            except (ValueError, KeyError, TypeError, EOFError, NotImplementedError):
                return None  # damaged, or of an unreadable version: it is rebuilt from the turns

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
        """Nothing is kept of a turn that did not end."""

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._kept.get_next_version(current, channel)

    def keep(self, saver: BaseCheckpointSaver[Any]) -> None:
        """Replace the thread's checkpoint by what was held back; call it inside a transaction."""
        if self.puts:
            saver.delete_thread(self._thread)
        for put in self.puts:
            saver.put(*put)


class Checkpoints(Closing):
    """The checkpoints of one CRAG_HOME or one Postgres, behind LangGraph's own saver."""

    def __init__(self, database: HomeDb | TeamDb) -> None:
        self._database = database
        self._saver: Any = None

    def saver(self) -> Any:
        """LangGraph's saver on the current connection, made again after a reconnect."""
        connection = self._database.connected()
        if self._saver is None or self._saver.conn is not connection:
            self._saver = self._database.checkpointer()
        return self._saver

    @contextmanager
    def turn(self, thread: str) -> Iterator[TurnSaver]:
        """A saver for one turn of `thread`; what it holds is kept if the block ends well."""
        with self._database.failures():
            turn = TurnSaver(self.saver(), self._database, thread)
        yield turn
        with self._database.failures():
            saver = self.saver()  # it makes its tables outside of a transaction
        with self._database.writing():
            turn.keep(saver)

    def delete(self, thread: str) -> None:
        with self._database.failures():
            self.saver().delete_thread(thread)

    def close(self) -> None:
        self._database.close()
