"""LangGraph's checkpoints of threads, kept in the home or in Postgres, of whole turns only.

A turn runs on a checkpointer in memory, which is kept once the turn has ended well, so a turn that
fails, is interrupted or killed leaves its thread as it was before the question, and nothing has to
be undone. Keeping a turn removes the checkpoint that it supersedes: a thread has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.memory import InMemorySaver

from state.closing import Closing

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from state.home_db import HomeDb
    from state.postgres import TeamDb


class Checkpoints(Closing):
    """The checkpoints of one CRAG_HOME or one Postgres, behind LangGraph's own saver."""

    def __init__(self, database: HomeDb | TeamDb) -> None:
        self._database = database
        self._held.callback(database.close)
        self._saver: Any = None

    def saver(self) -> Any:
        """LangGraph's saver on the current connection, made again after a reconnect."""
        connection = self._database.connected()
        if self._saver is None or self._saver.conn is not connection:
            self._saver = self._database.checkpointer()
        return self._saver

    @contextmanager
    def turn(self, thread: str) -> Iterator[InMemorySaver]:
        """A saver for one turn of `thread`, which begins with the thread's checkpoint; what it
        holds last is kept if the block ends well. The graph runs with the durability "exit".
        """
        config: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
        turn = InMemorySaver()
        with self._database.failures():
            _copy(self.saver(), turn, config)
        yield turn
        with self._database.failures():
            saver = self.saver()  # it makes its tables outside of a transaction
        with self._database.writing():
            saver.delete_thread(thread)
            _copy(turn, saver, config)

    def delete(self, thread: str) -> None:
        with self._database.failures():
            self.saver().delete_thread(thread)


def _copy(source: Any, target: Any, config: RunnableConfig) -> None:
    """Put a thread's last checkpoint into another saver. One that is damaged, or of an unreadable
    version, is none: the timeline is made anew from the turns.
    """
    try:
        found = source.get_tuple(config)
    except (ValueError, KeyError, TypeError, EOFError, NotImplementedError):
        return
    if found is not None:
        held, about = found.checkpoint, found.metadata
        target.put(config, held, about, held["channel_versions"])
