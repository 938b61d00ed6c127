"""An ingest in a process of its own, forked from a server that has everything imported."""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from forked import forked

import rag.ingest.embedding
import rag.ingest.pool
import rag.ingest.read_file  # noqa: F401 - imported so that no kill is spent on an import
from rag.embed.builtin import BuiltinEmbedder
from rag.index import feeder, staging
from rag.index.postgres import writer
from rag.ingest.sync import ingest
from state.errors import StoreBusyError
from state.settings import Settings

BUSY = 4


def run(settings: Settings, folder: str, started: Connection) -> None:
    # Small groups, so that Chroma's own process is there to be killed, too.
    staging.GROUP_CHUNKS = writer.GROUP_CHUNKS = feeder.START_CHUNKS = 60
    embedder = BuiltinEmbedder()
    started.send(True)
    try:
        ingest(settings, embedder, [folder])
    except StoreBusyError:
        sys.exit(BUSY)


def start(settings: Settings, folder: Path) -> BaseProcess:
    """Returns once the process is about to ingest."""
    context = forked("ingest_child")
    here, there = context.Pipe()
    process = context.Process(target=run, args=(settings, str(folder), there))
    process.start()
    there.close()
    here.recv()
    here.close()
    return process
