"""`crag status`: what is indexed, what is stale on disk, which models, how large."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.filesize import decimal

from cli import options
from cli.app import new_app
from rag.embed.weights import reader_line
from rag.ingest.staleness import Staleness
from state.wording import many

if TYPE_CHECKING:
    from rag.collection_status import Status

app = new_app()


@options.command(app, "collection", "store")
def status(given: options.Shared, json_: options.Json = False) -> None:
    """Show what is indexed, what is stale, which models, how large.

    Of every collection, or of the one that --collection names.
    """
    from rag.collection_status import read_status

    terminal = given.terminal
    found = read_status(given.settings(), only=given.flags["collection"])
    if json_:
        terminal.json(found)
        return
    for label, text in _lines(found):
        terminal.wrapped(label + text, len(label))
    if not found["collections"]:
        terminal.notice("Nothing was ingested yet. Run `crag ingest PATH` first.")


def _lines(found: Status) -> Iterator[tuple[str, str]]:
    """The status for a person, as labels and the text beside each."""
    engine = found["engine"]
    model = f"model {engine['model']}" if engine["model"] else "no model"
    yield "home      ", found["home"]
    yield "engine    ", f"{engine['name']}, {model}, embedder {engine['embedder']}"
    yield "reader    ", reader_line(Path(found["home"]))
    for each in found["collections"]:
        counts = (many(each[f"{what}s"], what) for what in ("document", "chunk", "character"))
        yield "", f"\n{each['name']}: {', '.join(counts)}; {each['embedder']}"
        for root in each["roots"]:
            yield "  from    ", root
        if each["failed"] or each["skipped"]:
            yield "  unread  ", f"{each['failed']:,} failed, {each['skipped']:,} skipped"
        stale = Staleness(**each["stale"]).line(each["name"])
        yield "  stale   ", stale or "no indexed file has changed"
    yield "\non disk   ", decimal(found["bytes"])
