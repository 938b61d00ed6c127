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

from rag.child_process import Child, answer, read_frame, serve_parent
from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index.chroma_errors import VectorsDamaged
from rag.index.chroma_import import chromadb_module
from rag.index.vectors import ChromaVectors, open_folder
from state import errors

_DAMAGED = "VectorsDamaged"
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
            self._child = Child("rag.index.vector_process")
        except OSError as error:
            raise errors.StorageError(
                f"No process can be started for the vector store: {error.strerror}."
            ) from error

    def open(self, folder: Path, identity: EmbedderIdentity, *, create: bool) -> Self:
        """Ends the process when it fails."""
        values = (identity.name, identity.dimension, identity.version)
        try:
            self._call("open", os.fsencode(folder), create, *values)
        except BaseException:
            self.close()
            raise
        self._opened = True
        return self

    def token(self) -> str | None:
        token: str | None = self._call("token")
        return token

    def count(self) -> int:
        return int(self._call("count"))

    def holds(self, count: int) -> bool:
        return bool(self._call("holds", count))

    def upsert(self, ids: Sequence[int], vectors: Vectors) -> None:
        self._call("upsert", list(ids), vectors.tobytes())

    def delete(self, ids: Sequence[int]) -> None:
        self._call("delete", list(ids))

    def seal(self, token: str) -> None:
        self._call("seal", token)

    def close(self) -> None:
        """Ends the process; one that holds the store closes it first."""
        if self._opened:
            with contextlib.suppress(VectorsDamaged, errors.CragError):
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
        except (BrokenPipeError, EOFError):
            raise VectorsDamaged("the process that wrote it died") from None
        failure, result = reply
        if failure is None:
            return result
        if failure == _DAMAGED:
            raise VectorsDamaged(*result)
        raise getattr(errors, failure)(*result)


def main() -> None:
    """Serve until standard input ends."""
    asked, answers = serve_parent()
    with contextlib.suppress(errors.SetupError):  # told by `open`
        chromadb_module()
    import numpy as np

    vectors: ChromaVectors | None = None
    reply: tuple[str | None, Any]
    while (call := read_frame(asked)) is not None:
        name, values = call
        try:
            if name == "open":
                folder, create, *identity = values
                place = Path(os.fsdecode(folder))
                vectors = open_folder(place, EmbedderIdentity(*identity), create=create)
                reply = None, None
            else:
                if name == "upsert":
                    ids, data = values
                    values = ids, np.frombuffer(data, dtype=np.float32).reshape(len(ids), -1)
                reply = None, getattr(vectors, name)(*values)
        except VectorsDamaged as error:
            reply = (_DAMAGED, (str(error),))
        except errors.CragError as error:
            reply = (type(error).__name__, (error.message, error.hint))
        answer(answers, reply)
        if name == "close":
            break
    os._exit(0)  # a second of tearing down what the system frees at once
