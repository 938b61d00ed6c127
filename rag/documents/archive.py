"""ZIP containers (DOCX, PPTX, XLSX, XLSB, ODT, EPUB), opened with their expansion bounded."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from rag.documents.cleaning import real_title
from rag.documents.stream import MIB, Reading, document_errors
from rag.documents.tree_walk import Element
from state.errors import DocumentError

_RATIO_FROM = 32 * MIB


class Archive(zipfile.ZipFile):
    """A file that is a container. Each `member` counts the bytes that really come out, which are
    never more than its `file_size`. Raises DocumentError where all together expand too far.
    """

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading.path)
        self._reading = reading
        self._left = reading.limits.expanded_bytes
        self._check_directory()

    def member(self, name: str) -> bytes:
        """The bytes of a part.

        Raises:
            DocumentError: it is missing, encrypted, damaged or expands past the limits.
        """
        with document_errors(self._reading.format):
            info = self.getinfo(name)
            if info.flag_bits & 1:
                raise DocumentError("encrypted: needs a password")
            with self.open(info) as member:
                data = member.read(min(self._reading.limits.tree_bytes, self._left) + 1)
        self._left -= len(data)
        if len(data) > self._reading.limits.tree_bytes or self._left < 0:
            raise _bomb(len(data))
        return data

    def root(self, name: str) -> Element:
        """The root of a part that is XML; raises as `member` does. It is read as hostile input:
        no entities, no DTD, no network, at most 256 levels deep.
        """
        from lxml import etree

        options = {"resolve_entities": False, "no_network": True, "load_dtd": False}
        with document_errors(self._reading.format):
            parser = etree.XMLParser(**options, huge_tree=False)
            root = etree.fromstring(self.member(name), parser, base_url=name)
        # An entity that is not resolved stands between the text before it and the text behind it.
        etree.strip_tags(root, etree.Entity)
        return root

    def optional_root(self, name: str) -> Element | None:
        """The root of a part that the others can do without: a damaged one is a warning."""
        if name not in self.NameToInfo:
            return None
        try:
            return self.root(name)
        except DocumentError as error:
            self._reading.warn(f"{PurePosixPath(name).name} left out: {error.message}")
            return None

    def relations(self, member: str) -> dict[str, tuple[str, str]]:
        """The relations of a part of an Office file, by their ids: kind and member name."""
        folder, file = posixpath.split(member)
        root = self.optional_root(f"{folder}/_rels/{file}.rels")
        found: dict[str, tuple[str, str]] = {}
        for relation in () if root is None else root.iterchildren("{*}Relationship"):
            if relation.get("TargetMode") == "External":
                continue
            kind = (relation.get("Type") or "").rpartition("/")[2]
            # One that begins with a slash counts from the root.
            target = posixpath.join(f"/{folder}", relation.get("Target") or "")
            found[relation.get("Id") or ""] = (kind, posixpath.normpath(target).lstrip("/"))
        return found

    def related(self, member: str, path: str) -> Iterator[tuple[Element, str]]:
        """The elements of a part along a path of names that are of another one, and its name."""
        targets = self.relations(member)
        for element in self.root(member).iterfind(path):
            # The attribute r:id; an element may have an id of its own beside it.
            key = next((value for name, value in element.items() if name.endswith("}id")), "")
            if key in targets:
                yield element, targets[key][1]

    def core_title(self) -> str | None:
        core = self.optional_root("docProps/core.xml")
        return None if core is None else real_title(core.findtext("{*}title") or None)

    def _check_directory(self) -> None:
        limits, infos = self._reading.limits, self.infolist()
        if len(infos) > limits.members:
            raise DocumentError(f"more than {limits.members:,} parts in the file")
        expanded = sum(info.file_size for info in infos)
        packed = sum(info.compress_size for info in infos) or 1
        dense = expanded > _RATIO_FROM and expanded / packed > limits.expansion_ratio
        if dense or expanded > limits.expanded_bytes:
            raise _bomb(expanded)


def _bomb(size: int) -> DocumentError:
    return DocumentError(f"expands to more than {size // MIB:,} MiB: not unpacked")
