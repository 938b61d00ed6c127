"""Reading processes, one a core, that may hang or die: their file fails, the rest goes on."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from rag.child_process import Child
from rag.ingest.file_text import Outcome, Unread, from_plain
from rag.ingest.task import Task
from rag.ingest.worker import BEAT

STALL_SECONDS = 150.0
"""A worker that reports no progress for so long is killed; readers give up by themselves before."""

_BATCH = 16
_AHEAD = 32
_POLL_SECONDS = 0.2
_IDLE_SECONDS = 0.5
_ENDING_SECONDS = 5.0


Item = TypeVar("Item")


class Stopped(Exception):  # noqa: N818 - not an error: somebody asked for it
    """Raised in a thread of the ingest that should end."""


def put_until(stop: threading.Event, into: queue.Queue[Item], item: Item) -> None:
    """Waits for room.

    Raises:
        Stopped: `stop` was set meanwhile.
    """
    while not stop.is_set():
        try:
            return into.put(item, timeout=_POLL_SECONDS)
        except queue.Full:
            continue
    raise Stopped


class Reader:
    """One worker process, started when first needed and again after it died."""

    def __init__(self, spool_folder: str, stall_seconds: float, stop: threading.Event) -> None:
        self._spool_folder = spool_folder
        self._stall_seconds = stall_seconds
        self._stop = stop
        self._child: Child | None = None

    def read(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """One outcome a task, in order."""
        waiting = list(tasks)
        while waiting:
            child = self._send(waiting)
            while waiting:
                values = self._receive(child)
                if isinstance(values, str):
                    yield Unread(waiting.pop(0).path, None, values, failed=True, lasting=False)
                    break  # the others of the batch go to a new process
                yield from_plain(values)
                waiting.pop(0)

    def _send(self, tasks: list[Task]) -> Child:
        for _ in range(2):
            child = self._child = self._child or Child("rag.ingest.worker", self._spool_folder)
            try:
                child.send([tuple(task) for task in tasks])
                break
            except BrokenPipeError:  # it died idle
                self.end()
        return child

    def _receive(self, child: Child) -> Any:
        """The next outcome as plain values, or in words why there is none."""
        deadline = time.monotonic() + self._stall_seconds
        while True:
            if self._stop.is_set():
                raise Stopped
            try:
                values = child.receive(_POLL_SECONDS)
            except EOFError:
                return f"the reader crashed ({_ending(self.end(_ENDING_SECONDS))})"
            except TimeoutError:
                if time.monotonic() > deadline:
                    self.end()
                    return f"the reader hung for {self._stall_seconds:g} s and was stopped"
                continue
            if values != BEAT:
                return values
            deadline = time.monotonic() + self._stall_seconds

    def end(self, patience: float = 0.0) -> int:
        """End the process, whatever it is doing; its exit status, as `Child.end` gives it."""
        child, self._child = self._child, None
        return 0 if child is None else child.end(patience)


def _ending(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def _batches(tasks: Sequence[Task], count: int) -> Iterator[list[Task]]:
    """Small batches, smaller towards the end so that all workers finish together."""
    start = 0
    while start < len(tasks):
        size = max(1, min(_BATCH, (len(tasks) - start) // (2 * count)))
        yield list(tasks[start : start + size])
        start += size


class _Crew:
    """Threads that each keep one process busy; outcomes meet in one bounded queue."""

    def __init__(
        self, tasks: Sequence[Task], spool_folder: str, workers: int, stall_seconds: float,
        stop: threading.Event,
    ) -> None:  # fmt: skip
        self._batches = _batches(tasks, workers)
        self._spool_folder = spool_folder
        self._stall_seconds = stall_seconds
        self._lock = threading.Lock()
        self._stop = stop
        self._outcomes: queue.Queue[Outcome | BaseException | None] = queue.Queue(_AHEAD)
        self._threads = [threading.Thread(target=self._serve) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def outcomes(self) -> Iterator[Outcome | None]:
        running = len(self._threads)
        while running:
            try:
                item = self._outcomes.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                if self._stop.is_set():
                    raise Stopped from None
                yield None
                continue
            if item is None:
                running -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                yield item

    def end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        reader = Reader(self._spool_folder, self._stall_seconds, self._stop)
        try:
            while (batch := self._next()) is not None:
                for outcome in reader.read(batch):
                    put_until(self._stop, self._outcomes, outcome)
            put_until(self._stop, self._outcomes, None)
        except Stopped:
            return
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            put_until(self._stop, self._outcomes, error)
        finally:
            reader.end()

    def _next(self) -> list[Task] | None:
        with self._lock:
            return next(self._batches, None)


def _cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def reading(
    tasks: Sequence[Task],
    spool_folder: str,
    stop: threading.Event,
    *,
    workers: int | None = None,
    stall_seconds: float = STALL_SECONDS,
) -> Iterator[Iterator[Outcome | None]]:
    """The outcomes of `tasks` as they come, in no order, and None when none comes for a while.
    Leaving the block, or setting `stop`, ends the processes.
    """
    count = workers or max(1, min(_cores(), len(tasks)))
    crew = _Crew(tasks, spool_folder, count, stall_seconds, stop)
    try:
        yield crew.outcomes()
    finally:
        crew.end()
