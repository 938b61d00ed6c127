"""Calls in a thread of their own: one deadline for somebody else's server, however it answers, and
what is loaded beside other work.

The limits that HTTP clients take count each read anew: a server that drips a byte a second
passes them all.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


def begun(call: Callable[[], T]) -> Future[T]:
    """What `call()` will give or raise; nobody waits for its thread at the end of the process."""
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised again on the caller's thread
            future.set_exception(error)

    Thread(target=work, name="begun", daemon=True).start()
    return future


def within(seconds: float, call: Callable[[], T]) -> T:
    """`call()`, and what it raises. A call that takes longer is left to its own limits.

    Raises:
        TimeoutError: it took longer.
    """
    future = begun(call)
    if not wait([future], max(0.0, seconds)).done:
        raise TimeoutError(f"no whole reply within {seconds:.3g} s")
    return future.result()


class Beside(Generic[T]):
    """What is loaded once, beside other work where that was begun in time; what failed is tried
    again.
    """

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._future: Future[T] | None = None
        self._lock = Lock()

    def begin(self) -> Future[T]:
        with self._lock:
            future = self._future
            if future is None or (future.done() and future.exception() is not None):
                future = self._future = begun(self._load)
            return future

    def get(self) -> T:
        """Raises what loading it raises."""
        return self.begin().result()
