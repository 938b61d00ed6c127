"""ZIP containers (DOCX, PPTX, XLSX, XLSB, ODT, EPUB), opened with their expansion bounded."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

from rag.documents.limits import MIB, Limits
from rag.documents.markup import Element, parse
from rag.documents.stream import Reading
from state.errors import DocumentError

_BLOCK = 1 << 18
_RATIO_FROM = 32 * MIB


class Archive:
    """The members of a container. Every read counts the bytes that really come out."""

    def __init__(self, container: zipfile.ZipFile, limits: Limits) -> None:
        self._container = container
        self._limits = limits
        self._left = limits.expanded_bytes
        self._names = {info.filename: info for info in container.infolist()}
        self._check_directory()

    @property
    def names(self) -> list[str]:
        return list(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def size(self, name: str) -> int:
        """How many bytes the directory says a member expands to; no more are ever read."""
        return self._names[name].file_size

    def read(self, name: str) -> bytes:
        """A member's bytes.

        Raises:
            DocumentError: it is missing, encrypted, damaged or expands past the limits.
        """
        limit = min(self._limits.tree_bytes, self._left)
        blocks: list[bytes] = []
        size = 0
        for block in self.blocks(name):
            size += len(block)
            if size > limit:
                raise _bomb(size)
            blocks.append(block)
        self._left -= size
        return b"".join(blocks)

    def blocks(self, name: str) -> Iterator[bytes]:
        """A member's bytes, some at a time; raises as `read` does, but for their number."""
        info = self._names.get(name)
        if info is None:
            raise DocumentError(f"damaged file: its part {PurePosixPath(name).name} is missing")
        if info.flag_bits & 1:
            raise DocumentError("encrypted: needs a password")
        try:
            with self._container.open(info) as member:
                while block := member.read(_BLOCK):
                    yield block
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise DocumentError(f"damaged file: {error}") from error

    def _check_directory(self) -> None:
        infos = self._names.values()
        if len(self._container.infolist()) > self._limits.members:
            raise DocumentError(f"more than {self._limits.members:,} parts in the file")
        expanded = sum(info.file_size for info in infos)
        packed = sum(info.compress_size for info in infos) or 1
        ratio = expanded / packed
        if expanded > self._limits.expanded_bytes or (
            expanded > _RATIO_FROM and ratio > self._limits.expansion_ratio
        ):
            raise _bomb(expanded)


def _bomb(size: int) -> DocumentError:
    return DocumentError(f"expands to more than {size // MIB:,} MiB: not unpacked")


@contextmanager
def open_archive(reading: Reading) -> Iterator[Archive]:
    """The file as an Archive; raises DocumentError when it is none or expands too far."""
    try:
        container = zipfile.ZipFile(reading.path)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise DocumentError(f"damaged {reading.format} file: {error}") from error
    with container:
        yield Archive(container, reading.limits)


def parse_optional(archive: Archive, name: str, reading: Reading) -> Element | None:
    """The root of a part that the rest can do without: a damaged one is a warning."""
    if name not in archive:
        return None
    try:
        return parse(archive.read(name), reading.limits)
    except DocumentError as error:
        reading.warn(f"{PurePosixPath(name).name} left out: {error.message}")
        return None
