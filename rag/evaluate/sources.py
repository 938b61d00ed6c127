"""The dataset's names of documents: a document's id, or its path below files/."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path, PurePath

from rag.index.reader import CollectionReader


class SourceNames:
    """Maps the collection's sources to the names that `relevant` uses."""

    def __init__(self, reader: CollectionReader, names: Iterable[str], files: Path | None) -> None:
        self._reader = reader
        self._files = None if files is None else files.resolve()
        self._names = {PurePath(name).parts: name for name in names}
        self._found: dict[str, str] = {}

    def name(self, source: str) -> str:
        """The dataset's name of a source; the source itself where it has no other."""
        if source not in self._found:
            self._found[source] = self._look_up(source)
        return self._found[source]

    def missing(self, names: Collection[str]) -> set[str]:
        """The names of which there is no document, neither in the corpus nor on the disk."""
        if self._files is not None:
            return {name for name in names if not (self._files / name).is_file()}
        return {name for name in names if self._reader.document(name) is None}

    def _look_up(self, source: str) -> str:
        document = self._reader.document(source)
        if self._files is not None and document is not None and document.path is not None:
            path = Path(document.path)
            if path.is_relative_to(self._files):
                below = path.relative_to(self._files)
                return self._names.get(below.parts, below.as_posix())
        parts = PurePath(source).parts
        ends = (parts[start:] for start in range(len(parts)))
        return next((self._names[end] for end in ends if end in self._names), source)
