"""Whether the files an answer cited are still what they were."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

from state.turns import CitedFile

if TYPE_CHECKING:
    from rag.index.reader import CollectionReader
    from state.answer import Citation

FileState = Literal["same", "changed", "gone"]


def cited_files(
    citations: Iterable[Citation], collection: CollectionReader
) -> dict[str, CitedFile]:
    """What the catalog knows of each cited source that is a file, by source."""
    found: dict[str, CitedFile] = {}
    for source in dict.fromkeys(citation["source"] for citation in citations):
        document = collection.document(source)
        if document is not None and document.path is not None:
            found[source] = {"path": document.path, "content_hash": document.content_hash}
    return found


def file_states(files: Mapping[str, CitedFile]) -> dict[str, FileState]:
    """By source: does the file on disk still hold what was cited?"""
    return {source: _state(file) for source, file in files.items()}


def _state(file: CitedFile) -> FileState:
    """The catalog's hash is blake2b of the file's bytes behind the name of how it was read."""
    wanted = file["content_hash"].rpartition(":")[2]
    digest = partial(hashlib.blake2b, digest_size=len(wanted) // 2 or 16)
    try:
        with open(os.fsencode(file["path"]), "rb") as opened:  # noqa: PTH123 - any bytes a path has
            found = hashlib.file_digest(opened, digest).hexdigest()
    except (OSError, ValueError):
        return "gone"
    return "same" if found == wanted else "changed"
