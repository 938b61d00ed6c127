"""Ingests of small folders with the real index and the real builtin embedder."""

import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from document_files import written

from rag.index.reader import CollectionReader
from rag.index.store import Store
from rag.ingest.pipeline import IngestReport
from rag.ingest.roots import Globs
from rag.ingest.sync import ingest
from rag.opening import store_of
from rag.session import Session, open_session
from state.events import IngestEvent
from state.settings import Settings, load_settings


class Library:
    """A home with one collection, and the ingests into it."""

    def __init__(self, home: Path, collection: str = "default", **shared: str) -> None:
        """`shared`: settings of a shared store."""
        self.settings: Settings = load_settings({"home": home, "collection": collection, **shared})
        self.events: list[IngestEvent] = []

    def ingest(self, *paths: Path | str, dry_run: bool = False, **globs) -> IngestReport:
        self.events.clear()
        given = [str(path) for path in paths], Globs(**globs)
        return ingest(self.settings, *given, dry_run=dry_run, on_event=self.events.append)

    @property
    def store(self) -> Store:
        return store_of(self.settings)

    def open(self) -> CollectionReader:
        return self.store.open_collection(self.settings.collection)

    @property
    def sources(self) -> list[str]:
        with self.store.contents(self.settings.collection) as held:
            return sorted(document.source for document in held.documents())

    @property
    def roots_here(self) -> list[str]:
        with self.store.contents(self.settings.collection) as held:
            return list(held.roots(self.store.host))


def counts(report: IngestReport) -> dict[str, int]:
    """The counts of a report that are not zero."""
    found = {name: getattr(report, name) for name in ("added", "updated", "unchanged", "removed")}
    found |= {"skipped": len(report.skipped), "failed": len(report.failed)}
    return {name: count for name, count in found.items() if count}


def home_of(folder: Path, texts: Mapping[str, str]) -> Path:
    """A home below `folder`, whose collection these files are and what lies in `files` there."""
    Library(folder / "home").ingest(written(folder / "files", texts))
    return folder / "home"


def copied_home_of(folder: Path, texts: Mapping[str, str]) -> Path:
    """The same, where the files are left as they are: built once for equal ones, and copied."""
    return shutil.copytree(_built(frozenset(texts.items())), folder / "home")


@cache
def _built(texts: frozenset[tuple[str, str]]) -> Path:
    return home_of(Path(tempfile.mkdtemp(prefix="crag-home-")), dict(texts))


def collection_of(folder: Path, texts: Mapping[str, str]) -> CollectionReader:
    """The same, open."""
    return Library(home_of(folder, texts)).open()


def session_of(folder: Path, texts: Mapping[str, str]) -> Session:
    """The same, to be asked without a model."""
    settings = load_settings({"home": home_of(folder, texts), "engine": "local"})
    return open_session(settings, keep_traces=False)
