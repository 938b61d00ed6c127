"""Calls in a thread of their own: one deadline for somebody else's server, however it answers.

The limits that HTTP clients take count each read anew: a server that drips a byte a second
passes them all.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def begun(call: Callable[[], T]) -> Callable[[float | None], T]:
    """`call()` in a thread of its own; what is returned waits for it, so many seconds at most, and
    gives what it gives, or raises what it raises.

    Raises:
        TimeoutError: it took longer.
    """
    made: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            made.append(call())
        except BaseException as error:  # noqa: BLE001 - raised again on the caller's thread
            failed.append(error)

    thread = Thread(target=work, name="begun", daemon=True)
    thread.start()

    def wait(seconds: float | None) -> T:
        thread.join(None if seconds is None else max(0.0, seconds))
        if failed:
            raise failed[0]
        if not made:
            raise TimeoutError(f"no whole reply within {seconds or 0:.3g} s")
        return made[0]

    return wait


def within(seconds: float, call: Callable[[], T]) -> T:
    """`call()`, and what it raises. A call that takes longer is left to its own limits.

    Raises:
        TimeoutError: it took longer.
    """
    return begun(call)(seconds)
