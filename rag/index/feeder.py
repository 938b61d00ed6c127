"""Chroma's share of an ingest, on a thread of its own.

Adding to Chroma takes longer than all other writing; it is done by another process while the
next documents are read and embedded. The thread that feeds it has its own connection and sees
committed documents only.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from queue import SimpleQueue
from threading import Event, Lock
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
        self._more: SimpleQueue[bool] = SimpleQueue()
        self._interrupted = Event()
        self._thread = ThreadPoolExecutor(1, "vector-feeder")
        self._fed: Future[None] | None = None
        self._ready: VectorProcess | None = None

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
            self._fed = self._fed or self._thread.submit(self._feed)
            self._more.put(item=True)

    def close(self, *, interrupted: bool = False) -> None:
        """Finishes; raises what failed on the way. `interrupted`: leave the rest for next time."""
        if interrupted:
            self._interrupted.set()
        self._more.put(item=False)
        failure = None if self._fed is None else self._fed.exception()
        self._thread.shutdown()
        if self._ready is not None:
            self._ready.close()
        damaged = isinstance(failure, VectorsDamaged)
        if failure is not None and (interrupted or not damaged):
            raise failure
        if not interrupted:
            with closing(connect(self._place.home)) as connection:
                if damaged or needs_write(connection, self._place):
                    write_all(connection, self._place, self._notice, again=damaged)

    def _feed(self) -> None:
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
            while self._more.get():
                write.feed(self._interrupted.is_set)
            write.feed(self._interrupted.is_set)
            write.finish()
