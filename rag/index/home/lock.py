"""The write lock of a collection: one writer at a time, and the others know who it is.

`flock` frees the lock when its holder dies, however it dies; the file's content only says
who the holder was. Readers never take it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO

from state.closing import closed_on_failure
from state.errors import StorageError, StoreBusyError, storage_error


def lock_path(home: Path, collection: str) -> Path:
    """The lock file is named by a hash: a collection's name may be longer than a file's."""
    digest = hashlib.blake2b(collection.encode("utf-8", "surrogatepass"), digest_size=10)
    return home / "locks" / f"{digest.hexdigest()}.lock"


@contextmanager
def write_lock(path: Path, doing: str = "writing to this collection") -> Iterator[None]:
    """Holds the lock until the block ends; `doing` is what the error says that another holder does.

    Raises:
        StoreBusyError: another process holds it; names its pid, host and start.
        StorageError: the lock file cannot be written.
    """
    with _taken(path, doing) as file:
        try:
            yield
        finally:
            # A child that another thread is starting has the file open until it runs its program:
            # closed here alone, the lock would seem to be held a moment longer.
            fcntl.flock(file, fcntl.LOCK_UN)


def _taken(path: Path, doing: str) -> IO[str]:
    """The lock file, open and locked, with its holder's name in it."""
    since = datetime.now().astimezone().isoformat(" ", "seconds")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closed_on_failure(path.open("a")) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.truncate(0)
            file.write(f"pid {os.getpid()} on {socket.gethostname()}, since {since}")
            file.flush()
            return file
    except BlockingIOError:
        # Empty where the holder has not written its name yet.
        owner = path.read_text(errors="replace")
        raise StoreBusyError(
            f"Another process is {doing}{owner and f' ({owner})'}.", "Try again when it is done."
        ) from None
    except OSError as error:
        raise storage_error(error) or StorageError(
            f"{path} cannot be locked: {error.strerror}.", "Choose another --home."
        ) from error
