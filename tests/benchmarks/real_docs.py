"""Folders of real documentation with questions, as collections: what fits and reports read.

A set is a folder of sources, each with `files/` and `queries.jsonl` as `crag eval` reads them.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.ingest.sync import ingest
from rag.session import Session, open_session
from state.settings import Settings


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    folder: Path
    queries: Sequence[dict[str, Any]]


def json_lines(file: Path) -> list[dict[str, Any]]:
    text = file.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def sources(folder: Path) -> list[Source]:
    """Every folder below with questions and files, in order of name."""
    return [
        Source(queries.parent.name, queries.parent, json_lines(queries))
        for queries in sorted(folder.glob("*/queries.jsonl"))
        if (queries.parent / "files").is_dir()
    ]


def talks_of(source: Source) -> list[list[dict[str, Any]]]:
    """The turns of each of its conversations."""
    file = source.folder / "conversations.jsonl"
    return [talk["turns"] for talk in json_lines(file)] if file.exists() else []


@contextmanager
def opened(source: Source, home: Path) -> Iterator[Session]:
    """The source's files ingested below `home`, and a session with the local engine."""
    settings = Settings(home=home, collection=source.name, engine="local")
    ingest(settings, [str(source.folder / "files")])
    with open_session(settings, keep_traces=False) as session:
        yield session


def is_of(path: str, query: dict[str, Any]) -> bool:
    """Whether the file is one that the question is answered in."""
    return any(path.endswith(relevant) for relevant in query["relevant"])
