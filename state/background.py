"""Calls and generators on threads of their own, given up on when their time is over.

The time limits of HTTP clients begin anew with each read, so a server that sends a byte a second
never exceeds them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextlib import closing
from contextvars import ContextVar, copy_context
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

T = TypeVar("T")

_WAIT = 0.2
"""Seconds of a wait without end. Python runs a signal's handler between two of its instructions: a
signal that comes just before a wait would be heeded only after it.
"""


def submit(call: Callable[[], T]) -> Future[T]:
    """Runs `call()` on a daemon thread, which does not keep the process alive."""
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised again on the caller's thread
            future.set_exception(error)

    Thread(target=work, name="begun", daemon=True).start()
    return future


def call_with_timeout(seconds: float, call: Callable[[], T]) -> T:
    """What `call()` returns or raises. A call that takes longer is abandoned, not stopped.

    Raises:
        TimeoutError: it took longer.
    """
    future = submit(call)
    if not wait([future], max(0.0, seconds)).done:
        raise TimeoutError(f"no whole reply within {seconds:.3g} s")
    return future.result()


_RUN: ContextVar[Cancellation | None] = ContextVar("run", default=None)
"""The run in the background that the caller is a part of."""


class RunCancelledError(Exception):
    """The run was cancelled; what it still does must have no effect."""


class Cancellation:
    """Whether a run was cancelled, agreed on by both of its threads; `around` is the run that it is
    a part of.
    """

    def __init__(self) -> None:
        self.items: SimpleQueue[Any] = SimpleQueue()
        self.cancelled = False
        self.around = _RUN.get()
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


def is_given_up() -> bool:
    """Whether the run that the caller is a part of was cancelled, or one around it."""
    run = _RUN.get()
    while run is not None and not run.cancelled:
        run = run.around
    return run is not None


class _End:
    """The last item of a run, with the error that it raised, if any."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def _next(queue: SimpleQueue[T | _End], seconds_left: Callable[[], float | None]) -> T | _End:
    while True:
        left = seconds_left()
        try:
            return queue.get(timeout=_WAIT if left is None else min(_WAIT, max(left, 0.0)))
        except Empty:
            if left is not None and left <= _WAIT:
                raise TimeoutError from None


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
        _RUN.set(cancel)
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
            item = _next(queue, seconds_left)
            if isinstance(item, _End):
                ended = not isinstance(item.error, KeyboardInterrupt)
                if item.error is not None:
                    raise item.error
                return
            yield item
    finally:
        if not ended:
            cancel.cancel()
