"""Calls on threads of their own, for a deadline over a whole call and for background loading.

The time limits of HTTP clients begin anew with each read, so a server that sends a byte a second
never exceeds them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

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
