"""Worker processes that read files, one a core. If one hangs or dies its file fails, no other."""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait

from rag.child_process import Child
from rag.index.protocol import NO_FILE, UnreadFile
from rag.ingest.file_text import ReadOutcome, ReadTask
from state.extras import usable_cores

STALL_SECONDS = 150.0
"""A worker that reports no progress (a page, a part) for so long is killed."""
LONGEST_SECONDS = 1200.0
"""One that needs longer for a file is killed too."""

_BATCH = 64
_IDLE_SECONDS = 0.5
_ENDING_SECONDS = 5.0


class Worker:
    """One worker process, started when first needed and again after it died; `waiting` are the
    tasks that it was given and has not answered.
    """

    def __init__(self, stall_seconds: float) -> None:
        self.waiting: deque[ReadTask] = deque()
        self._stall_seconds = stall_seconds
        self._child: Child | None = None
        self._began = self._sign = 0.0  # of the first task; the last sign of life

    @property
    def child(self) -> Child:
        if self._child is None:
            self._child = Child("rag.ingest.file_text")
        return self._child

    def give(self, tasks: Sequence[ReadTask]) -> None:
        self.waiting.extend(tasks)
        self._send()

    def take(self, *, ready: bool) -> ReadOutcome | None:
        """The outcome of its first waiting task; None while that may still come. `ready`: its pipe
        has something to read, or it died.
        """
        try:
            outcome: ReadOutcome | None = self.child.pipe.recv() if ready else None
        except (EOFError, OSError):  # in the middle of a value
            return self._failed(f"the reader crashed ({_ending(self.end(_ENDING_SECONDS))})")
        now = time.monotonic()
        self._sign = now if ready else self._sign
        if outcome is not None:
            self.waiting.popleft()
            self._began = now
        elif now - self._sign > self._stall_seconds:
            self.end()
            return self._failed(f"the reader hung for {self._stall_seconds:g} s and was stopped")
        elif now - self._began > LONGEST_SECONDS:
            self.end()
            return self._failed("takes too long to read")
        return outcome

    def end(self, patience: float = 0.0) -> int:
        """End the process, whatever it is doing; its exit status, as `Child.end` gives it."""
        child, self._child = self._child, None
        return 0 if child is None else child.end(patience)

    def _send(self) -> None:
        for _ in range(2):
            try:
                self.child.pipe.send(list(self.waiting))
                break
            except ConnectionError:  # it died idle
                self.end()
        self._began = self._sign = time.monotonic()

    def _failed(self, reason: str) -> UnreadFile:
        """The failure of the first waiting task; the others go to a new process."""
        failed = UnreadFile(self.waiting.popleft().path, NO_FILE, reason, failed=True, reading="")
        if self.waiting:
            self._send()
        return failed


def _ending(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    return signal.strsignal(-status) or f"signal {-status}"


def _batches(tasks: Sequence[ReadTask], count: int) -> Iterator[Sequence[ReadTask]]:
    """Small batches, smaller towards the end so that all workers finish together."""
    start = 0
    while start < len(tasks):
        size = max(1, min(_BATCH, (len(tasks) - start) // (2 * count)))
        yield tasks[start : start + size]
        start += size


def _outcomes(tasks: Sequence[ReadTask], pool: Sequence[Worker]) -> Iterator[ReadOutcome | None]:
    batches = _batches(tasks, len(pool))
    while True:
        for worker in pool:
            if not worker.waiting and (batch := next(batches, None)):
                worker.give(batch)
        busy = [worker for worker in pool if worker.waiting]
        if not busy:
            return
        ready = wait([worker.child.pipe for worker in busy], _IDLE_SECONDS)
        found = [worker.take(ready=worker.child.pipe in ready) for worker in busy]
        came = [outcome for outcome in found if outcome is not None]
        yield from came or (None,)


@contextmanager
def read_files(
    tasks: Sequence[ReadTask],
    *,
    workers: int | None = None,
    stall_seconds: float = STALL_SECONDS,
) -> Iterator[Iterator[ReadOutcome | None]]:
    """The outcomes of `tasks` as they come, in no order, and None when none comes for a while.
    Leaving the block ends the processes.
    """
    count = workers or max(1, min(usable_cores(), len(tasks)))
    pool = [Worker(stall_seconds) for _ in range(count)]
    try:
        yield _outcomes(tasks, pool)
    finally:
        for worker in pool:
            worker.end()
