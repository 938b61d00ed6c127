"""LangGraph's checkpoints by thread, in an SQLite file or a Postgres; whole turns only.

A turn's checkpoint is held back until the turn has ended well, so a turn that fails, is
interrupted or killed leaves its thread as it was before the question, and nothing of it
need be undone. Keeping a turn also removes what it supersedes: one checkpoint a thread.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from state.closing import Closing
from state.errors import StorageError

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

CHECKPOINTS_FILE = "checkpoints.db"


class _Put(NamedTuple):
    config: RunnableConfig
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    versions: ChannelVersions


class _Write(NamedTuple):
    config: RunnableConfig
    writes: Sequence[tuple[str, Any]]
    task_id: str
    task_path: str


class TurnSaver(BaseCheckpointSaver[Any]):
    """What a graph is compiled with: reads the kept checkpoints, holds new ones back."""

    def __init__(self, kept: BaseCheckpointSaver[Any], place: Checkpoints) -> None:
        super().__init__(serde=kept.serde)
        self._kept = kept
        self._place = place
        self.puts: list[_Put] = []
        self.writes: list[_Write] = []

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with self._place.failures():
            try:
                return self._kept.get_tuple(config)
            except (ValueError, KeyError, TypeError) as error:
                raise StorageError(
                    f"The thread's checkpoint is damaged ({error}).",
                    f"Remove {CHECKPOINTS_FILE}: the turns themselves are kept elsewhere.",
                ) from None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the base class's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        with self._place.failures():
            yield from self._kept.list(config, filter=filter, before=before, limit=limit)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        self.puts.append(_Put(config, checkpoint, metadata, new_versions))
        where = config["configurable"]
        return {
            "configurable": {
                "thread_id": where["thread_id"],
                "checkpoint_ns": where.get("checkpoint_ns", ""),
                "checkpoint_id": checkpoint["id"],
            }
        }

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self.writes.append(_Write(config, list(writes), task_id, task_path))

    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._kept.get_next_version(current, channel)

    def keep(self, thread: str) -> None:
        """Write the turn's last checkpoint and remove the superseded ones.

        A turn that only stopped to ask made no checkpoint: its writes (the interrupt) belong
        to the one that was there.
        """
        with self._place.failures():
            made = {put.checkpoint["id"] for put in self.puts}
            for held in self.writes:
                if held.config["configurable"].get("checkpoint_id") not in made:
                    self._kept.put_writes(*held)
            for last in _last_of_each_namespace(self.puts):
                self._kept.put(*last)
                for held in self.writes:
                    if held.config["configurable"].get("checkpoint_id") == last.checkpoint["id"]:
                        self._kept.put_writes(*held)
                if not last.config["configurable"].get("checkpoint_ns"):
                    self._place.prune(thread, last.checkpoint["id"])
        self.drop()

    def drop(self) -> None:
        self.puts.clear()
        self.writes.clear()


def _last_of_each_namespace(puts: Sequence[_Put]) -> Iterator[_Put]:
    """The last put of each graph and subgraph, with every channel version since the turn's
    beginning, as if the ones in between had not been made.
    """
    merged: dict[str, _Put] = {}
    for put in puts:
        where = dict(put.config["configurable"])
        where.pop("checkpoint_id", None)
        namespace = where.setdefault("checkpoint_ns", "")
        known = merged[namespace].versions if namespace in merged else {}
        versions = {**known, **put.versions}
        merged[namespace] = put._replace(
            config={**put.config, "configurable": where}, versions=versions
        )
    yield from merged.values()


class Checkpoints(Closing):
    """The checkpoints of one CRAG_HOME or one Postgres, behind one of LangGraph's own savers."""

    _saver: Any = None

    @abstractmethod
    def saver(self) -> BaseCheckpointSaver[Any]:
        """The saver, connected; called once a turn."""

    @abstractmethod
    def prune(self, thread: str, newest: str) -> None:
        """Remove the thread's checkpoints older than the one named `newest`."""

    @abstractmethod
    def failures(self) -> AbstractContextManager[None]:
        """Maps whatever the saver raises to a CragError."""

    @contextmanager
    def turn(self, thread: str) -> Iterator[TurnSaver]:
        """A saver for one turn of `thread`, kept if the block ends well, else as if never.

        Raises:
            StorageError, StoreBusyError, RemoteStoreError: the place failed.
        """
        with self.failures():
            turn = TurnSaver(self.saver(), self)
        yield turn
        turn.keep(thread)

    def delete(self, thread: str) -> None:
        with self.failures():
            self.saver().delete_thread(thread)

    def close(self) -> None:
        if self._saver is not None:
            self._saver.conn.close()
            self._saver = None
