"""What a reading worker is asked to do."""

from __future__ import annotations

from typing import NamedTuple

READING = "10:"
"""Begins every content hash. Raised when reading or chunking changes, so that every document
is read again.
"""

WAITING = READING + "?"
"""Begins the hash of a document with pages that the extra `ocr` would read: it is read again once
that is installed.
"""


class Task(NamedTuple):
    """A file to read. When its content's hash is one of `known`, the hash alone comes back."""

    path: str
    known: tuple[str, ...] = ()
