"""How much of a file a reader may take: bytes, expansion, depth, pages, cells and time."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from state.errors import DocumentError

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost.

    Attributes:
        text_bytes: size of a file that is read as a stream (text, logs, JSON lines, tables).
        parsed_bytes: size of a file that a parser keeps (PDF, archives).
        tree_bytes: size of markup that becomes a tree in memory (HTML, XML, JSON).
        expanded_bytes: what all members of an archive may hold together.
        expansion_ratio: expanded to packed size, looked at beyond 32 MiB expanded.
        members: entries of an archive.
        depth: nesting of JSON, XML and HTML.
        pages: pages, slides or chapters that are read; what follows is left out, with a warning.
        cells: table cells of a workbook that are read; likewise.
        seconds: time inside the reader, the consumer's own time not counted.

    """

    text_bytes: int = 4096 * MIB
    parsed_bytes: int = 512 * MIB
    tree_bytes: int = 64 * MIB
    expanded_bytes: int = 512 * MIB
    expansion_ratio: int = 250
    members: int = 20_000
    depth: int = 200
    pages: int = 20_000
    cells: int = 5_000_000
    seconds: float = 120.0


class TimeUpError(BaseException):
    """Raised inside a parser that has run too long. Not an Exception, so that no parser's own
    `except Exception` keeps it going; `rag.documents.stream` turns it into a DocumentError.
    """


class Deadline:
    """Counts the time spent inside `running()` and ends it past `seconds`.

    Between steps a reader calls `check`. In the main thread of a process an interval timer
    also interrupts Python code that never comes back to a check; a parser stuck inside C
    code, or one in another thread, needs its process killed from outside.
    """

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._started = 0.0

    def check(self) -> None:
        if time.monotonic() - self._started > self._left:
            raise TimeUpError

    @contextmanager
    def running(self) -> Iterator[None]:
        if self._left <= 0:
            raise TimeUpError
        self._started = time.monotonic()
        alarmed = self._set_alarm()
        try:
            yield
        finally:
            if alarmed:
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
            self._left -= time.monotonic() - self._started

    def _set_alarm(self) -> bool:
        if (
            not hasattr(signal, "setitimer")
            or threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL
        ):
            return False
        signal.signal(signal.SIGALRM, _raise_time_up)
        # Again every second: a raise inside a destructor is swallowed by the interpreter.
        signal.setitimer(signal.ITIMER_REAL, self._left, 1.0)
        return True


def _raise_time_up(_signal: int, _frame: FrameType | None) -> None:
    raise TimeUpError


def check_size(size: int, limit: int) -> None:
    """Raises DocumentError when `size` bytes are more than `limit`."""
    if size > limit:
        raise DocumentError(
            f"too large: {size / MIB:,.0f} MiB, at most {limit / MIB:,.0f} MiB are read"
        )
