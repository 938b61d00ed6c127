"""Room for the files that Chroma opens: without it, it reports damage where there is none."""

from __future__ import annotations

import os
import resource

from state.errors import StorageError

_NEEDED = 32
"""About twice what a folder of vectors was seen to take."""


def require_open_files() -> None:
    """See to it that this process may open as many files as Chroma needs.

    Raises:
        StorageError: its limit does not allow it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        wanted = len(os.listdir("/dev/fd")) + _NEEDED  # noqa: PTH208 - a count
    except OSError:
        wanted = soft + 1 if soft < _NEEDED else 0
    if wanted <= soft or soft == resource.RLIM_INFINITY:
        return
    if wanted <= hard or hard == resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return
    raise StorageError(
        f"The vector store needs {wanted} open files; this process may have {soft}.",
        "Raise its limit: `ulimit -n 256`.",
    )
