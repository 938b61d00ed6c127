"""Calls on threads of their own, for a deadline over a whole call and for background loading.

The time limits of HTTP clients begin anew with each read, so a server that sends a byte a second
never exceeds them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


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


class BackgroundLoad(Generic[T]):
    """Loads a value once, in the background if begun early; a failed load is tried again."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._future: Future[T] | None = None
        self._lock = Lock()

    def begin(self) -> Future[T]:
        with self._lock:
            future = self._future
            if future is None or (future.done() and future.exception() is not None):
                future = self._future = submit(self._load)
            return future

    def get(self) -> T:
        """The loaded value; raises what loading it raises."""
        return self.begin().result()
