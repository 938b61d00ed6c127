"""Chroma's share of an ingest, on a thread of its own.

Adding to Chroma takes longer than all other writing; it is done by another process while the
next documents are read and embedded. The thread that feeds it has its own connection and sees
committed documents only.
"""

from __future__ import annotations

from contextlib import closing
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from rag.index.catalog import connect
from rag.index.chroma import VectorsDamaged
from rag.index.protocol import Notice
from rag.index.vector_place import VectorPlace, needs_write
from rag.index.vector_sync import VectorWrite, write_all

if TYPE_CHECKING:
    from rag.index.vector_process import VectorProcess

START_CHUNKS = 500


class VectorFeeder:
    """Feeds the store once enough was committed; `close` brings it up to date. Who writes the
    catalog meanwhile holds `catalog_lock`.
    """

    def __init__(self, place: VectorPlace, notice: Notice) -> None:
        self._place = place
        self._notice = notice
        self.catalog_lock = Lock()
        self._waiting = 0
        self._more = Event()
        self._closing = Event()
        self._interrupted = Event()
        self._thread: Thread | None = None
        self._ready: VectorProcess | None = None
        self._failure: BaseException | None = None

    def expect(self, chunks: int) -> None:
        """Tells that about so many chunks will come: Chroma is loaded meanwhile."""
        if chunks >= START_CHUNKS and self._ready is None:
            self._ready = self._process()

    def _process(self) -> VectorProcess:
        from rag.index.vector_process import VectorProcess

        ready, self._ready = self._ready, None
        return ready or VectorProcess()

    def committed(self, chunks: int) -> None:
        """Tells that so many more chunks are visible."""
        self._waiting += chunks
        if self._waiting >= START_CHUNKS:
            self._waiting = 0
            if self._thread is None:
                self._thread = Thread(target=self._run, name="vector-feeder")
                self._thread.start()
            self._more.set()

    def close(self, *, interrupted: bool = False) -> None:
        """Finishes; raises what failed on the way. `interrupted`: leave the rest for next time."""
        if interrupted:
            self._interrupted.set()
        if self._thread is None:
            self._dismiss()
            if interrupted:
                return
            with closing(connect(self._place.home)) as connection:
                if needs_write(connection, self._place):
                    write_all(connection, self._place, self._notice)
            return
        self._closing.set()
        self._more.set()
        self._thread.join()
        self._dismiss()
        if isinstance(self._failure, VectorsDamaged) and not interrupted:
            with closing(connect(self._place.home)) as connection:
                write_all(connection, self._place, self._notice, again=True)
        elif self._failure is not None:
            raise self._failure

    def _dismiss(self) -> None:
        if self._ready is not None:
            self._ready.close()
            self._ready = None

    def _run(self) -> None:
        try:
            with (
                closing(connect(self._place.home)) as connection,
                VectorWrite(
                    connection,
                    self._place,
                    self._notice,
                    opener=lambda *place, **how: self._process().open(*place, **how),
                    catalog_lock=self.catalog_lock,
                ) as write,
            ):
                while not self._closing.is_set():
                    self._more.wait()
                    self._more.clear()
                    write.feed(self._interrupted.is_set)
                write.feed(self._interrupted.is_set)
                write.finish()
        except BaseException as error:  # noqa: BLE001 - raised again by `close`, on its thread
            self._failure = error
