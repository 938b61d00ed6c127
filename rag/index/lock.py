"""The write lock of a collection: one writer at a time, and the others know who it is.

`flock` frees the lock when its holder dies, however it dies; the file's content only says
who the holder was. Readers never take it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import socket
import time
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from state.errors import StorageError, StoreBusyError, storage_error

_POLL_SECONDS = 0.1


def lock_path(home: Path, collection: str) -> Path:
    """A collection's name may be longer than a file's."""
    digest = hashlib.blake2b(collection.encode("utf-8", "surrogatepass"), digest_size=10)
    return home / "locks" / f"{digest.hexdigest()}.lock"


class WriteLock:
    """Hold with `with`. `wait`: seconds to wait for another holder.

    Raises:
        StoreBusyError: another process holds it; names its pid, host and start.
        StorageError: the lock file cannot be written.
    """

    def __init__(self, path: Path, *, wait: float = 0.0) -> None:
        self._path = path
        self._wait = wait
        self._descriptor = -1

    def __enter__(self) -> Self:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _unusable(self._path, error) from error
        try:
            self._acquire(descriptor)
            owner = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(owner).encode(), 0)
        except OSError as error:
            os.close(descriptor)
            raise _unusable(self._path, error) from error
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # A child that another thread is starting has the descriptor until it runs its program:
        # closed here alone, the lock would seem to be held a moment longer.
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        os.close(self._descriptor)
        self._descriptor = -1

    def _acquire(self, descriptor: int) -> None:
        deadline = time.monotonic() + self._wait
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise StoreBusyError(
                        f"Another process is writing to this collection{_owner(descriptor)}.",
                        "Try again when it is done.",
                    ) from None
                time.sleep(_POLL_SECONDS)
            else:
                return


def _unusable(path: Path, error: OSError) -> StorageError:
    return storage_error(error) or StorageError(f"{path} cannot be locked: {error.strerror}.")


def _owner(descriptor: int) -> str:
    try:
        owner = json.loads(os.pread(descriptor, 1000, 0))
        since = datetime.fromtimestamp(owner["since"]).astimezone().isoformat(" ", "seconds")
        return f" (pid {int(owner['pid'])} on {owner['host']}, since {since})"
    except (ValueError, KeyError, TypeError, OverflowError):
        return ""  # the holder has not written its name yet
