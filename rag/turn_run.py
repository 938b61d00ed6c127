"""Runs a turn of the graph on a background thread, which can be cancelled at any moment. Its events
are yielded as they come; its checkpoint is kept if it ends well.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rag.budget import Budget
from rag.dependencies import Dependencies, new_answer
from rag.graph import recursion_limit, shared_graph
from state.answer import FAILED, Answer, Status
from state.errors import CragError

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from state.events import Event, FailedEvent

_GRACE_SECONDS = 3.0

T = TypeVar("T")


class RunCancelledError(Exception):
    """The run was cancelled; what it still does must have no effect."""


class Cancellation:
    """Whether a run was cancelled, agreed on by both of its threads."""

    def __init__(self) -> None:
        self.items: SimpleQueue[Any] = SimpleQueue()
        self.cancelled = False
        self._lock = Lock()

    def interrupt(self) -> None:
        """Does what Ctrl-C does, for a signal's handler. It takes effect where the next item is
        waited for, so that nothing is broken off which the next run needs.
        """
        self.items.put(_End(KeyboardInterrupt()))

    def cancel(self) -> None:
        """Lets no further `unless_cancelled` begin, and waits for one that has begun."""
        with self._lock:
            self.cancelled = True

    def unless_cancelled(self, act: Callable[[], T]) -> T:
        """Returns `act()`; a cancellation comes either before or after it, never in between.

        Raises:
            RunCancelledError: the run was cancelled.
        """
        with self._lock:
            if self.cancelled:
                raise RunCancelledError
            return act()


class _End:
    """The last item of a run, with the error that it raised, if any."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def in_background(
    run: Callable[[], Generator[T]],
    cancel: Cancellation,
    seconds_left: Callable[[], float | None] = lambda: None,
) -> Generator[T]:
    """Runs `run()` on a thread of its own; yields what it yields and raises what it raises. In the
    consumer's thread Ctrl-C would take as long as the model's reply: LangGraph waits for its nodes.

    Raises:
        TimeoutError: no seconds were left before the next item; the run is left as by Ctrl-C.

    A consumer that stops early (Ctrl-C, a closed generator) is free at once. The run then stops at
    its next item, and what it raises is dropped.
    """
    queue: SimpleQueue[T | _End] = cancel.items

    def work() -> None:
        try:
            with closing(run()) as items:
                for item in items:
                    if cancel.cancelled:
                        break
                    queue.put(item)
            queue.put(_End())
        except BaseException as error:  # noqa: BLE001 - raised anew in the consumer's thread
            queue.put(_End(error))

    Thread(target=copy_context().run, args=(work,), name="turn", daemon=True).start()
    ended = False
    try:
        while True:
            left = seconds_left()
            try:
                item = queue.get(timeout=None if left is None else max(left, 0.0))
            except Empty:
                raise TimeoutError from None
            if isinstance(item, _End):
                ended = not isinstance(item.error, KeyboardInterrupt)
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        if not ended:
            cancel.cancel()


def run_turn(
    question: str,
    deps: Dependencies,
    saver: AbstractContextManager[BaseCheckpointSaver[Any]] | None,
    cancel: Cancellation,
    budget: Budget,
) -> Iterator[Event]:
    """Run the graph on a thread of its own until it ends, the time is up or `cancel` is set.
    `saver` gives the turn's checkpointer, where it is one of a thread.

    Raises:
        CragError: the index, the engine or a store failed, or the time was up.
    """
    # A model's calls end in time by themselves, and what was found is then told.
    grace = _GRACE_SECONDS if deps.engine.model is not None else 0.0

    def left() -> float | None:
        seconds = budget.seconds_left()
        return None if seconds is None else seconds + grace

    def steps() -> Generator[Event]:
        config: RunnableConfig = {"recursion_limit": recursion_limit(deps.settings.max_loops)}
        if checkpointer is not None:
            config["configurable"] = {"thread_id": deps.thread}
        for part in (
            shared_graph()
            .copy({"checkpointer": checkpointer})
            .stream(
                {"question": question},
                config,
                context=deps,
                stream_mode=["custom"],
                durability=None if checkpointer is None else "exit",
                version="v2",
            )
        ):
            yield cast("Event", part["data"])

    with saver or nullcontext() as checkpointer:
        try:
            yield from in_background(steps, cancel, left)
        except TimeoutError:
            raise budget.time_spent_error() from None


def failed_event(error: Exception, events: Sequence[Event]) -> FailedEvent:
    """The event that says at which node, and how, a run with these `events` failed."""
    at: str | None = None
    for event in events:
        if event["event"] == "node_started":
            at = event["node"]
        elif event["event"] == "node_finished" and event["node"] == at:
            at = None
    named = isinstance(error, CragError)
    return {
        "event": "failed",
        "node": at,
        "error": type(error).__name__ if named else "Unexpected",
        "message": str(error) if named else f"unexpected {type(error).__name__}",
    }


def failed_turn(question: str, deps: Dependencies) -> Answer:
    """Stands for the answer in the trace of a turn without one; its events tell the rest."""
    answer = new_answer(question, deps.engine, deps.settings, deps.thread, deps.trace_id)
    return {**answer, "status": cast("Status", FAILED)}
