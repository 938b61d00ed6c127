"""Reading processes, one a core, that may hang or die: their file fails, the rest goes on."""

from __future__ import annotations

import os
import queue
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rag.ingest.file_text import Outcome, Task, Unread, from_plain, read_frame, write_frame
from rag.ingest.worker import BEAT, command

STALL_SECONDS = 150.0
"""A worker that reports no progress for so long is killed; readers give up by themselves before."""

_BATCH = 16
_POLL_SECONDS = 0.2


class Stopped(Exception):  # noqa: N818 - not an error: somebody asked for it
    """Raised in a thread of the ingest that should end."""


class Reader:
    """One worker process, started when first needed and again after it died."""

    def __init__(self, spool_folder: str, stall_seconds: float, stop: threading.Event) -> None:
        self._command = command(spool_folder)
        self._stall_seconds = stall_seconds
        self._stop = stop
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """One outcome a task, in order."""
        waiting = list(tasks)
        while waiting:
            process = self._send(waiting)
            while waiting:
                values = self._receive(process)
                if isinstance(values, str):
                    yield Unread(waiting.pop(0).path, None, values, failed=True, lasting=False)
                    break  # the others of the batch go to a new process
                yield from_plain(values)
                waiting.pop(0)

    def _send(self, tasks: list[Task]) -> subprocess.Popen[bytes]:
        for _ in range(2):
            if self._process is None:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            assert self._process.stdin is not None
            try:
                write_frame(self._process.stdin, [tuple(task) for task in tasks])
                self._process.stdin.flush()
            except BrokenPipeError:  # it died idle
                self.kill()
            else:
                break
        assert self._process is not None
        return self._process

    def _receive(self, process: subprocess.Popen[bytes]) -> Any:
        """The next outcome as plain values, or in words why there is none."""
        assert process.stdout is not None
        deadline = time.monotonic() + self._stall_seconds
        while True:
            if self._stop.is_set():
                raise Stopped
            ready, _, _ = select.select([process.stdout], [], [], _POLL_SECONDS)
            if ready:
                values = read_frame(process.stdout)  # type: ignore[arg-type]
                if values is None:
                    return f"the reader crashed ({_ending(self.kill())})"
                if values != BEAT:
                    return values
                deadline = time.monotonic() + self._stall_seconds
            elif time.monotonic() > deadline:
                self.kill()
                return f"the reader hung for {self._stall_seconds:g} s and was stopped"

    def kill(self) -> int:
        """End the process; returns its exit status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        if process.stdout is not None:
            process.stdout.close()
        try:
            status = process.wait(0.5 if process.poll() is None else None)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        if process.stdin is not None:
            try:
                process.stdin.close()
            except BrokenPipeError:
                return status
        return status


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


@contextmanager
def reading(
    tasks: Sequence[Task],
    spool_folder: str,
    *,
    workers: int | None = None,
    stall_seconds: float = STALL_SECONDS,
    ahead: int = 32,
) -> Iterator[Iterator[Outcome]]:
    """The outcomes of `tasks` as they come, in no order; at most about `ahead` wait unread.

    Leaving the block ends the processes.
    """
    count = workers or max(1, min(len(os.sched_getaffinity(0)), len(tasks)))
    stop = threading.Event()
    outcomes: queue.Queue[Outcome | BaseException | None] = queue.Queue(ahead)
    batches = _batches(tasks, count)
    lock = threading.Lock()

    def put(item: Outcome | BaseException | None) -> None:
        while True:
            if stop.is_set():
                raise Stopped
            try:
                return outcomes.put(item, timeout=_POLL_SECONDS)
            except queue.Full:
                continue

    def serve() -> None:
        reader = Reader(spool_folder, stall_seconds, stop)
        try:
            while True:
                with lock:
                    batch = next(batches, None)
                if batch is None:
                    return put(None)
                for outcome in reader.read(batch):
                    put(outcome)
        except Stopped:
            return None
        except BaseException as error:  # handed to the thread that waits for outcomes
            put(error)
        finally:
            reader.kill()

    threads = [threading.Thread(target=serve, name=f"reader-{n}") for n in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield _arriving(outcomes, count)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _arriving(
    outcomes: queue.Queue[Outcome | BaseException | None], workers: int
) -> Iterator[Outcome]:
    running = workers
    while running:
        item = outcomes.get()
        if item is None:
            running -= 1
        elif isinstance(item, BaseException):
            raise item
        else:
            yield item
