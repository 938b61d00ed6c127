"""A run on a thread of its own, which the person may leave at any moment.

LangGraph runs nodes on worker threads as soon as they stream, and waits for them when it is
interrupted: Ctrl-C would take as long as the model's reply.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class AbandonedError(Exception):
    """The run was left; what it still does must have no effect."""


class Leave:
    """Whether a run was left, agreed on by both of its threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._left = False

    def leave(self) -> None:
        """From here on no `unless_left` begins; one that has begun is waited for."""
        with self._lock:
            self._left = True

    def unless_left(self, act: Callable[[], R]) -> R:
        """`act()`, to which leaving comes either before or after, never in between.

        Raises:
            AbandonedError: the run was left.
        """
        with self._lock:
            if self._left:
                raise AbandonedError
            return act()

    @property
    def left(self) -> bool:
        return self._left


class _End(Generic[T]):
    """The last thing a run says: nothing, or what it raised."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def in_background(
    run: Callable[[], Iterator[T]],
    leave: Leave,
    seconds_left: Callable[[], float | None] = lambda: None,
) -> Generator[T]:
    """What `run()` yields, in order, and what it raises.

    Raises:
        TimeoutError: no seconds were left before its next item; it is left as by Ctrl-C.

    When the consumer stops early (Ctrl-C, a closed generator) it is free at once; the run
    stops at its next item, and what it raises then is nobody's concern.
    """
    said: SimpleQueue[T | _End[T]] = SimpleQueue()

    def work() -> None:
        try:
            with closing(_as_generator(run())) as items:
                for item in items:
                    if leave.left:
                        break
                    said.put(item)
            said.put(_End())
        except BaseException as error:  # noqa: BLE001 - raised anew in the consumer's thread
            said.put(_End(error))

    Thread(target=copy_context().run, args=(work,), name="turn", daemon=True).start()
    ended = False
    try:
        while True:
            left = seconds_left()
            try:
                item = said.get(timeout=None if left is None else max(left, 0.0))
            except Empty:
                raise TimeoutError from None
            if isinstance(item, _End):
                ended = True
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        if not ended:
            leave.leave()


def _as_generator(items: Iterator[T]) -> Generator[T]:
    yield from items
