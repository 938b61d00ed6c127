"""A reading process: tasks come in on standard input, outcomes go out on standard output.

It is a process of its own so that a parser which hangs, crashes or eats memory costs one
file and not the ingest, and so that parsing uses every core.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import BinaryIO

from rag.ingest.file_text import Outcome, plain, read_frame, write_frame
from rag.ingest.read_file import read_file
from rag.ingest.task import Task

BEAT = ("beat",)
_BEAT_SECONDS = 1.0
_MEMORY_BYTES = 4 << 30


def command(spool_folder: str) -> list[str]:
    """How to start a worker; `-P` keeps the user's current directory off its path."""
    package = str(Path(__file__).resolve().parents[2])
    code = (
        "import sys; sys.path.append(sys.argv[1]);"
        "from rag.ingest.worker import main; main(sys.argv[2])"
    )
    return [sys.executable, "-P", "-c", code, package, spool_folder]


def main(spool_folder: str) -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with contextlib.suppress(ValueError, OSError):  # a lower limit is already set
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    tasks, outcomes = _private_streams()
    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        if time.monotonic() - last > _BEAT_SECONDS:
            last = time.monotonic()
            _send(outcomes, BEAT)

    while (values := read_frame(tasks)) is not None:
        for path, known in values:
            outcome: Outcome = read_file(Task(path, tuple(known)), spool_folder, beat)
            _send(outcomes, plain(outcome))


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Our ends of the pipes; what a parser prints or reads meets the null device."""
    tasks = os.fdopen(os.dup(0), "rb")
    outcomes = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    return tasks, outcomes


def _send(outcomes: BinaryIO, value: object) -> None:
    try:
        write_frame(outcomes, value)
        outcomes.flush()
    except BrokenPipeError:  # the parent is gone; nobody wants the rest
        os._exit(0)
