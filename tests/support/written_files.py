"""A session over a few files that a test writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.session import Session, open_session
from state.settings import Settings


def session_over(folder: Path, files: Mapping[str, str]) -> Session:
    """`files` by name, ingested below `folder`; the local engine."""
    (folder / "files").mkdir()
    for name, text in files.items():
        (folder / "files" / name).write_text(text)
    settings = Settings(home=folder / "home", engine="local")
    ingest(settings, build_embedder(settings), [str(folder / "files")])
    return open_session(settings)
