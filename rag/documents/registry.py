"""Which reader opens which file: one table, by extension, corrected by the file's content."""

from __future__ import annotations

import stat
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from rag.documents.formats import UNSUPPORTED
from rag.documents.limits import Deadline, Limits, check_size
from rag.documents.seam import parsing
from rag.documents.sniff import choose
from rag.documents.stream import DocumentStream, Reader, Reading
from state.errors import DocumentError

_HEAD_BYTES = 8192
_DEFAULT_LIMITS = Limits()


def supported(path: Path) -> bool:
    """Whether a file of this name is worth opening. Its content is not looked at."""
    return path.suffix.lower() not in UNSUPPORTED


def open_document(
    path: Path,
    limits: Limits = _DEFAULT_LIMITS,
    on_step: Callable[[], None] = lambda: None,
) -> DocumentStream:
    """The file as a stream of parts; `on_step` is told of each page and of other progress.

    The reader is chosen by extension, unless the first bytes say otherwise. Run it in the
    main thread of a worker process, so that a slow parser can be interrupted
    (`rag.documents.limits.Deadline`), and kill that process some seconds past
    `limits.step_seconds` without a part for the one that cannot.

    Raises:
        UnsupportedFormatError: there is no reader for the file.
        DocumentError: it is empty, encrypted, damaged, too large or not a file; `message`
            is the reason.
    """
    head, size = _head(path)
    deadline = Deadline(limits, on_step)
    with parsing(path.suffix.lower().lstrip(".") or "unnamed", deadline):
        chosen = choose(path, head)
    check_size(size, getattr(limits, f"{chosen.held}_bytes"))
    if not head:
        raise DocumentError("empty: 0 bytes")
    reading = Reading(path, chosen.name, limits, deadline)
    reader: Reader = import_module(f"rag.documents.{chosen.module}").read
    return DocumentStream(reading, reader(reading))


def _head(path: Path) -> tuple[bytes, int]:
    try:
        status = path.stat()
        # A pipe or a device would be read for ever.
        if not stat.S_ISREG(status.st_mode):
            raise DocumentError("not a regular file")
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES), status.st_size
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror}") from error
