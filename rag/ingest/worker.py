"""A reading process: tasks come in on standard input, outcomes go out on standard output.

It is a process of its own so that a parser which hangs, crashes or eats memory costs one
file and not the ingest, and so that parsing uses every core.
"""

from __future__ import annotations

import contextlib
import resource
import time

from rag.child_process import answer, read_frame, serve_parent
from rag.ingest.file_text import Outcome, plain
from rag.ingest.read_file import read_file
from rag.ingest.task import Task

BEAT = ("beat",)
_BEAT_SECONDS = 1.0
_MEMORY_BYTES = 4 << 30


def main(spool_folder: str) -> None:
    """Serve until standard input ends."""
    tasks, outcomes = serve_parent()
    with contextlib.suppress(ValueError, OSError):  # a lower limit is already set
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        if time.monotonic() - last > _BEAT_SECONDS:
            last = time.monotonic()
            answer(outcomes, BEAT)

    while (values := read_frame(tasks)) is not None:
        for path, known in values:
            outcome: Outcome = read_file(Task(path, tuple(known)), spool_folder, beat)
            answer(outcomes, plain(outcome))
