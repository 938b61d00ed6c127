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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        _take(path, descriptor, doing)
        try:
            yield
        finally:
            # A child that another thread is starting has the descriptor until it runs its
            # program: closed here alone, the lock would seem to be held a moment longer.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def _take(path: Path, descriptor: int, doing: str) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        since = datetime.now().astimezone().isoformat(" ", "seconds")
        owner = f"pid {os.getpid()} on {socket.gethostname()}, since {since}"
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, owner.encode(), 0)
    except BlockingIOError:
        # Empty where the holder has not written its name yet.
        owner = os.pread(descriptor, 200, 0).decode(errors="replace")
        raise StoreBusyError(
            f"Another process is {doing}{owner and f' ({owner})'}.", "Try again when it is done."
        ) from None
    except OSError as error:
        raise _unusable(path, error) from error


def _unusable(path: Path, error: OSError) -> StorageError:
    return storage_error(error) or StorageError(
        f"{path} cannot be locked: {error.strerror}.", "Choose another --home."
    )
