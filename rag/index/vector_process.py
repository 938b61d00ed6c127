"""A folder of vectors, written by a process of its own.

Chroma keeps the interpreter to itself while it adds: in one process nothing would be read,
embedded or written meanwhile, however many cores there are.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from rag.child_process import Child, Parent
from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index.chroma import VectorsDamaged, chromadb_module
from rag.index.vectors import ChromaVectors, open_folder
from state.closing import closed_on_failure
from state.errors import CragError, SetupError, StorageError

_FAILURES = (VectorsDamaged, SetupError, StorageError)
_ANSWER_SECONDS = 60.0
"""Ten times what a slow disk takes for the largest batch."""


class VectorProcess:
    """What a writer needs of `ChromaVectors`, done elsewhere. It loads Chroma as soon as it is
    made; `open` comes first. It ends with `close`, or with the thread that made it.

    Raises:
        VectorsDamaged: as the call there, or the process died.
    """

    def __init__(self) -> None:
        self._opened = False
        try:
            self._child = Child("rag.index.vector_process", answers=_FAILURES)
        except OSError as error:
            raise StorageError(
                f"No process can be started for the vector store: {error.strerror}."
            ) from error

    def open(
        self,
        folder: Path,
        identity: EmbedderIdentity,
        sealed: tuple[str, int] | None = None,
        *,
        create: bool = False,
    ) -> Self:
        """Ends the process when it fails."""
        with closed_on_failure(self):
            self._call("open", folder, identity, sealed, create)
        self._opened = True
        return self

    def count(self) -> int:
        return int(self._call("count"))

    def upsert(self, ids: Sequence[int], vectors: Vectors) -> None:
        self._call("upsert", ids, vectors)

    def delete(self, ids: Sequence[int]) -> None:
        self._call("delete", ids)

    def seal(self, token: str) -> None:
        self._call("seal", token)

    def close(self) -> None:
        """Ends the process; one that holds the store closes it first."""
        if self._opened:
            self._opened = False
            with contextlib.suppress(VectorsDamaged, CragError):
                self._call("close")
        self._child.end()

    def _call(self, name: str, *values: object) -> Any:
        try:
            self._child.send((name, values))
            reply = self._child.receive(_ANSWER_SECONDS)
        except TimeoutError:
            self._opened = False
            self._child.end()
            raise VectorsDamaged("the process that wrote it stopped answering") from None
        except (ConnectionError, EOFError):
            raise VectorsDamaged("the process that wrote it died") from None
        if isinstance(reply, Exception):
            raise reply
        return reply


def main(descriptor: str) -> None:
    """Answer calls, each with what it gave or raised."""
    parent = Parent(descriptor)
    with contextlib.suppress(SetupError):  # told by `open`
        chromadb_module()
    vectors: ChromaVectors | None = None
    for name, values in parent:
        reply: object = None
        try:
            if name == "open":
                *place, create = values
                vectors = open_folder(*place, create=create)
            else:
                reply = getattr(vectors, name)(*values)
        except _FAILURES as error:
            reply = error
        parent.answer(reply)
        if name == "close":
            break
    os._exit(0)  # a second of tearing down what the system frees at once
