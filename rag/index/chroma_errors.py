"""What Chroma's failures are called here."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from state.errors import CragError, StorageError


class VectorsDamaged(Exception):  # noqa: N818 - a state of the folder, not a failure shown to anyone
    """The vectors are missing, stale or unreadable; the catalog still has them all."""


_NO_ROOM = re.compile(r"disk is full|No space left|readonly database|Read-only file system")

_NO_FILES = re.compile(r"Too many open files|unable to open database file|Cannot allocate memory")


@contextlib.contextmanager
def foreign_errors() -> Iterator[None]:
    """Whatever Chroma raises, as damage: its errors have no common class."""
    try:
        yield
    except CragError:
        raise
    except KeyError as error:
        raise VectorsDamaged(str(error)) from error
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        if isinstance(error, MemoryError) or _NO_FILES.search(words):
            raise StorageError(
                "The vector store cannot be opened: too little memory, or too few open files.",
                "Raise `ulimit -n` and `ulimit -v`, then run the command again.",
            ) from error
        if _NO_ROOM.search(words):
            raise StorageError(
                "The disk is full or read-only; the vector store cannot be written.",
                "Free some space, then run the command again: what was read is kept.",
            ) from error
        raise VectorsDamaged(words) from error
    except BaseException as error:
        # A panic of the Rust core derives from BaseException.
        if type(error).__name__ == "PanicException":
            raise VectorsDamaged(str(error)) from error
        raise
