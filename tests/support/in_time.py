"""What must come to its end in time, whatever it is given."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def within(seconds: float, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    began = clock()
    yield
    assert clock() - began < seconds


def cpu_within(seconds: float):
    """Of the processor's time, which a busy machine does not lengthen."""
    return within(seconds, time.process_time)
