"""The compound files of old Office programs: which document they hold, and their streams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rag.documents.cleaning import one_line
from rag.documents.limits import Limits, check_size
from state.errors import DocumentError

_KINDS = (
    ("WordDocument", "doc"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("PowerPoint Document", "ppt"),
    ("__properties_version1.0", "msg"),
)


class CompoundFile:
    """The streams of one compound file, each read under the size limit."""

    def __init__(self, container: Any, limits: Limits) -> None:
        self._container = container
        self._limits = limits

    def __contains__(self, name: str) -> bool:
        return bool(self._container.exists(name))

    def read(self, name: str) -> bytes:
        """A stream's bytes; raises DocumentError when it is missing or too large."""
        if name not in self:
            raise DocumentError(f"damaged file: its stream {name} is missing")
        check_size(self._container.get_size(name), self._limits.whole_bytes)
        with self._container.openstream(name) as stream:
            return bytes(stream.read())


@contextmanager
def open_compound(path: Path, limits: Limits) -> Iterator[CompoundFile]:
    """The file's streams; raises DocumentError when its directory is broken."""
    import olefile

    try:
        container = olefile.OleFileIO(path)
    except (OSError, ValueError, IndexError) as error:
        raise DocumentError(f"damaged Office file: {one_line(str(error))}") from error
    with container:
        yield CompoundFile(container, limits)


def kind(path: Path) -> str:
    """The format of the document in a compound file; empty for an unknown one.

    Raises:
        DocumentError: it is locked or damaged.
    """
    with open_compound(path, Limits()) as streams:
        if "EncryptedPackage" in streams:
            raise DocumentError("encrypted Office document: needs a password")
        return next((found for name, found in _KINDS if name in streams), "")
