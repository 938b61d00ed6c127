"""A reading process: files to read come in, their texts or why there are none go out.

It is a process of its own so that a parser which hangs, crashes or eats memory costs one
file and not the ingest, and so that parsing uses every core.
"""

from __future__ import annotations

import contextlib
import resource
import time

from rag.child_process import Parent
from rag.ingest.read_file import read_file

_BEAT_SECONDS = 1.0
_MEMORY_BYTES = 4 << 30


def main(descriptor: str, spool_folder: str) -> None:
    """Answer lists of tasks, one outcome a task; None meanwhile is a sign of life."""
    parent = Parent(descriptor)
    with contextlib.suppress(ValueError, OSError):  # a lower limit is already set
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        if time.monotonic() - last > _BEAT_SECONDS:
            last = time.monotonic()
            parent.answer(None)

    for tasks in parent:
        for task in tasks:
            parent.answer(read_file(task, spool_folder, beat))
