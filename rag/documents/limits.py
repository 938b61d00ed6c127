"""How much of a file a reader may take: bytes, expansion, depth, pages, cells and time."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from state.errors import DocumentError

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost.

    Attributes:
        text_bytes: size of a file that is read as a stream (text, logs, JSON lines, tables); its
            text and chunks are held until they are written.
        parsed_bytes: size of a file that a parser keeps (PDF, archives).
        whole_bytes: size of a file that is read whole (mail, notebooks, RTF).
        tree_bytes: size of markup that becomes a tree in memory (HTML, JSON, parts of archives);
            the tree may take twenty times as much.
        expanded_bytes: what all members of an archive may hold together.
        expansion_ratio: expanded to packed size, looked at beyond 32 MiB expanded.
        members: entries of an archive.
        depth: nesting of JSON, XML and HTML.
        pages: pages, slides or chapters that are read; what follows is left out, with a warning.
        cells: table cells of a workbook that are read; likewise.
        seconds: time inside the reader for the whole document, the consumer's not counted.
        step_seconds: time for one step of it: opening, a page, a run of rows.
        pixels: of a picture that is read.
        recognized_pages: pages that are read off pictures; what follows is left out, likewise.
        recognition_seconds: time for each of them, on top of `seconds`.
    """

    text_bytes: int = 256 * MIB
    parsed_bytes: int = 512 * MIB
    whole_bytes: int = 128 * MIB
    tree_bytes: int = 32 * MIB
    expanded_bytes: int = 512 * MIB
    expansion_ratio: int = 250
    members: int = 20_000
    depth: int = 200
    pages: int = 20_000
    cells: int = 5_000_000
    seconds: float = 1200.0
    step_seconds: float = 30.0
    pixels: int = 100_000_000
    recognized_pages: int = 2_000
    recognition_seconds: float = 140.0


class TimeUpError(BaseException):
    """Raised inside a parser that has run too long. Not an Exception, so that no parser's own
    `except Exception` keeps it going; `rag.documents.stream` turns it into a DocumentError.
    """


class Deadline:
    """Counts the time spent inside `running()`, in all and since the last step.

    Each piece that is read is a step, and a reader that yields seldom calls `check`. In the main
    thread of a process an interval timer also interrupts Python code that never comes back to a
    check; a parser stuck inside C code, or one in another thread, needs its process killed from
    outside.
    """

    def __init__(self, limits: Limits, on_step: Callable[[], None] = lambda: None) -> None:
        """`on_step` is told whenever a step begins: there is progress, with or without text."""
        self._on_step = on_step
        self._left = limits.seconds
        self._usual_seconds = self._step_seconds = limits.step_seconds
        self._started = 0.0
        self._step_started = 0.0
        self._armed = False

    def check(self) -> None:
        now = time.monotonic()
        if now - self._started > self._left or now - self._step_started > self._step_seconds:
            raise TimeUpError

    def step(self, more: float = 0.0) -> None:
        """Begins the next step, such as a page, with its own time: the usual, or so many seconds
        on top of the whole document's.
        """
        self._left += more
        self._on_step()
        self._step_seconds = more or self._usual_seconds
        self._step_started = time.monotonic()
        self.check()
        if self._armed:
            self._arm()

    @contextmanager
    def running(self) -> Iterator[None]:
        """One step; the time between two of them, the consumer's, does not count."""
        self._started = self._step_started = time.monotonic()
        self.check()
        in_main_thread = threading.current_thread() is threading.main_thread()
        self._armed = in_main_thread and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        try:
            if self._armed:
                signal.signal(signal.SIGALRM, _raise_time_up)
                self._arm()
            yield
        finally:
            if self._armed:
                self._armed = False
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
            self._left -= time.monotonic() - self._started

    def _arm(self) -> None:
        left = self._left - (time.monotonic() - self._started)
        seconds = max(min(self._step_seconds, left), 0.001)
        # Again every second: a raise inside a destructor is swallowed by the interpreter.
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)


def _raise_time_up(_signal: int, _frame: FrameType | None) -> None:
    raise TimeUpError


def check_size(size: int, limit: int) -> None:
    """Raises DocumentError when `size` bytes are more than `limit`."""
    if size > limit:
        raise DocumentError(
            f"too large: {size / MIB:,.0f} MiB, at most {limit / MIB:,.0f} MiB are read"
        )
