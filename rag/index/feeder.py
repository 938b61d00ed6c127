"""Chroma's share of an ingest, in a process of its own.

Adding to Chroma takes longer than all other writing, and keeps the interpreter to itself: it is
done by another process while the next documents are read and embedded. That reads from the
catalog what was committed; this process tells it where, and in the end that there is no more.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress

from rag.child_process import Child, Parent
from rag.deferred_imports import defer_imports
from rag.index.catalog import connect
from rag.index.chroma import chromadb_module
from rag.index.chroma_place import ChromaPlace
from rag.index.chroma_write import ChromaWrite, needs_write, write_all
from rag.index.protocol import Notice
from state.errors import SetupError

START_CHUNKS = 500
_LOOK_SECONDS = 0.2
_SILENT_SECONDS = 300.0
"""Ten times what the checksums of a million vectors take, or a slow disk for the largest batch."""


class VectorFeeder:
    """Has the store fed once enough was committed; `close` brings it up to date, whatever has
    become of that process.
    """

    def __init__(self, place: ChromaPlace, notice: Notice) -> None:
        self._place = place
        self._notice = notice
        self._committed = 0
        self._child: Child | None = None
        self._feeding = False

    def expect(self, chunks: int) -> None:
        """Tells that about so many chunks will come: Chroma is loaded meanwhile."""
        if chunks >= START_CHUNKS and self._child is None:
            with suppress(OSError):  # without another process it is done here, in the end
                self._child = Child("rag.index.feeder")

    def committed(self, chunks: int) -> None:
        """Tells that so many more chunks are there."""
        self._committed += chunks
        self.expect(self._committed)
        if self._committed >= START_CHUNKS and self._child is not None and not self._feeding:
            self._feeding = True
            with suppress(ConnectionError):
                self._child.send(self._place)

    def close(self, *, interrupted: bool = False) -> None:
        """Finishes; raises what failed. `interrupted`: leave the rest for next time."""
        if self._child is not None:
            try:
                if self._feeding:
                    self._have_finished(self._child, interrupted=interrupted)
            finally:
                self._child.end()
        if not interrupted:
            with closing(connect(self._place.home)) as connection:
                if needs_write(connection, self._place):
                    write_all(connection, self._place, self._notice)

    def _have_finished(self, child: Child, *, interrupted: bool) -> None:
        with suppress(ConnectionError, EOFError, TimeoutError):  # it died, or hangs
            child.send(interrupted)
            while (line := child.receive(_SILENT_SECONDS)) is not None:
                if line:
                    self._notice(line)


def main(descriptor: str) -> None:
    """Write what is committed until told that there is no more; answer lines for the person, empty
    ones as signs of life, and None when all is done.
    """
    parent = Parent(descriptor)
    defer_imports()
    with suppress(SetupError):  # told by whoever does it instead
        chromadb_module()
    told = iter(parent)
    place = next(told, None)
    if place is not None:
        with (
            closing(connect(place.home)) as connection,
            ChromaWrite(connection, place, parent.answer) as write,
        ):
            while not parent.waits(_LOOK_SECONDS):
                write.feed(parent.waits)
            interrupted = next(told, None)
            if interrupted is not None:  # or else the parent was killed: nothing is sealed

                def stopped() -> bool:
                    parent.answer("")
                    return bool(interrupted)

                write.feed(stopped)
                write.finish()
                parent.answer(None)
    os._exit(0)  # a second of tearing down what the system frees at once
