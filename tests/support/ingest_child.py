"""What ingests and reads in a process of its own, forked from a server that has all imported."""

from contextlib import suppress
from multiprocessing.connection import Connection

import rag.ingest.file_text
import rag.ingest.pipeline
import rag.ingest.pool
import rag.text.chunk
from rag.embed.builtin import builtin_embedder
from rag.index import writer as writing
from rag.ingest.sync import ingest
from rag.opening import store_of
from state.errors import CragError
from state.settings import Settings


def run(settings: Settings, folder: str, started: Connection) -> None:
    writing.GROUP_CHUNKS = rag.ingest.pipeline.BATCH_CHUNKS = 60  # type: ignore[attr-defined]
    builtin_embedder()
    started.send(True)
    ingest(settings, [folder])


def read(settings: Settings, started: Connection) -> None:
    """Asks until it is killed; ends with 1 where it sees a document that is not whole."""
    store = store_of(settings)
    builtin_embedder()
    started.send(True)
    while True:
        with suppress(CragError):
            reader = store.open_collection(settings.collection)
            while True:
                for chunk in reader.search("valve pump rotor", 10):
                    text = reader.document_text(chunk["source"])
                    assert text is None or text.endswith("x.\n"), chunk["source"]
