"""Every failure the program can name.

CragError
├── UsageError          a name, flag or argument that does not exist        (exit 2)
├── SetupError          settings, keys, index, embedder, lock, disk         (exit 4)
│   ├── SettingsError
│   ├── NoIndexError
│   ├── EmbedderMismatchError
│   ├── StoreBusyError
│   └── StorageError    full or read-only disk
│       └── DamagedError    a store that is not what was written
├── RemoteError         a model or remote store failed                      (exit 5)
│   ├── ModelError      unreachable, refused, rate-limited, malformed reply, failed
│   │   └── RequestRefusedError  the server does not take a form of request
│   ├── BudgetError     budget spent before any answer
│   └── RemoteStoreError
└── DocumentError       one file could not be read; ingest reports it and goes on
    └── UnsupportedFormatError   skipped, not failed

The message says what happened; `hint` says what to do next. `str(error)` is one line.
The core knows no exit codes: `cli/errors.py` maps these classes.
"""

from __future__ import annotations

import errno


class CragError(Exception):
    """Root of all expected failures; foreign exceptions are mapped to it at their seam."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        text = self.message if self.hint is None else f"{self.message} {self.hint}"
        return " ".join(text.split())


class UsageError(CragError):
    """An unknown collection, thread or turn, or arguments that do not fit together."""


class SetupError(CragError):
    """The program cannot start on this work as it is set up."""


class SettingsError(SetupError):
    """A settings file or variable holds something unusable; the message names the key."""


class NoIndexError(SetupError):
    """Nothing was ingested yet."""


class EmbedderMismatchError(SetupError):
    """The collection was embedded by another embedder than the current one."""


class StoreBusyError(SetupError):
    """Another process holds the write lock; the message names it."""


class StorageError(SetupError):
    """A disk is full, read-only or failing."""


class DamagedError(StorageError):
    """A store does not hold what was written to it."""


class RemoteError(CragError):
    """Something on the other end of a connection failed."""


class ModelError(RemoteError):
    """The model endpoint was unreachable, refused, or replied with something unusable."""


class RequestRefusedError(ModelError):
    """The server rejects this form of request; it may accept another form."""


class BudgetError(RemoteError):
    """A budget was spent before there was anything to answer with."""


class RemoteStoreError(RemoteError):
    """A Postgres failed."""


class DocumentError(CragError):
    """One source file could not be read; `message` is the reason shown to the person."""


class UnsupportedFormatError(DocumentError):
    """No reader is registered for the file, or it holds no text; it is skipped for this reason."""


_ROOM = "Free some space, or choose another --home."
_LEAVE = "Let it be written, or choose another --home."
_STORAGE_ERRNOS = {
    errno.ENOSPC: ("The disk is full", _ROOM),
    errno.EDQUOT: ("The disk quota is spent", _ROOM),
    errno.EROFS: ("The disk is read-only", _LEAVE),
    errno.EACCES: ("Permission denied", _LEAVE),
    errno.EPERM: ("Permission denied", _LEAVE),
    errno.EBADF: ("An output is closed", "Leave it open."),
    errno.ENAMETOOLONG: ("The name of a file is too long", "Choose a shorter one."),
    errno.EIO: ("The disk reports an input/output error", "Look after it."),
    errno.EMFILE: ("This process may open no more files", "Raise its limit: `ulimit -n 256`."),
    errno.ENFILE: ("The system can open no more files", "Close other programs."),
    errno.ENOMEM: ("There is no more memory", "Close other programs, or raise `ulimit -v`."),
    errno.EAGAIN: ("No process can be started", "Close other programs, or raise `ulimit -u`."),
}


def storage_error(error: OSError) -> StorageError | None:
    """The StorageError behind an operating-system error, or None if it is another kind."""
    if error.errno not in _STORAGE_ERRNOS:
        return None
    reason, hint = _STORAGE_ERRNOS[error.errno]
    where = f" ({error.filename})" if error.filename else ""
    return StorageError(f"{reason}{where}.", hint)


def refuse_other(found: int, known: int, what: str) -> None:
    """Raises StorageError if another version of crag wrote `what`; a `found` of 0 is none yet."""
    if found and found != known:
        by = "a newer" if found > known else "an older"
        raise StorageError(
            f"{what} was written by {by} crag (version {found}).", "Use that one, or move it away."
        )
