"""`crag status`: what is indexed, what is stale on disk, which models, how large."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.filesize import decimal

from cli import options
from cli.app import new_app
from cli.render.text import shorten
from rag.embed.weights import OFFER
from state.wording import many

if TYPE_CHECKING:
    from rag.collection_status import Status

app = new_app()


@app.command()
@options.taking("collection", "store", "quiet")
def status(given: options.Given, json_: options.Json = False) -> None:
    """Show what is indexed, what is stale, which models, how large.

    Of every collection, or of the one that --collection names.
    """
    from rag.collection_status import read_status

    terminal = given.terminal
    found = read_status(given.settings(), only=given.flags["collection"])
    if json_:
        terminal.json(_json(found))
        return
    for label, text in _lines(found):
        terminal.wrapped(label + text, len(label))
    if not found.collections:
        terminal.notice("Nothing was ingested yet. Run `crag ingest PATH` first.")


def _json(found: Status) -> dict[str, Any]:
    """The `crag.status/1` object."""
    collections = [
        {
            **asdict(each.totals),
            "embedder": str(each.totals.embedder),
            "stale": asdict(each.stale),
            "unfinished": each.unfinished,
        }
        for each in found.collections
    ]
    return {
        "schema": "crag.status/1",
        "home": found.home,
        "engine": {"name": found.engine, "model": found.model, "embedder": found.embedder},
        "reader": found.reader,
        "collections": collections,
        "research": [{"run_id": name, "question": asked} for name, asked in found.research.items()],
        "bytes": {**found.octets, "total": sum(found.octets.values())},
    }


def _lines(found: Status) -> Iterator[tuple[str, str]]:
    """The same for a person, as labels and what stands beside them."""
    model = f"model {found.model}" if found.model else "no model"
    yield "home      ", found.home
    yield "engine    ", f"{found.engine}, {model}, embedder {found.embedder}"
    yield "reader    ", found.reader or OFFER
    for each in found.collections:
        totals = each.totals
        documents, chunks = many(totals.documents, "document"), many(totals.chunks, "chunk")
        characters = many(totals.characters, "character")
        yield "", f"\n{totals.name}: {documents}, {chunks}, {characters}; {totals.embedder}"
        for root in totals.roots:
            told = "; not finished, run `crag ingest` again" if root in each.unfinished else ""
            yield "  from    ", root + told
        if totals.failed or totals.skipped:
            yield "  unread  ", f"{totals.failed:,} failed, {totals.skipped:,} skipped"
        yield "  stale   ", each.stale.line or "no indexed file has changed"
    for name, asked in found.research.items():
        yield "\nresearch  ", f"{shorten(asked, 80)}: not finished, crag research --resume {name}"
    sizes = [f"{name} {decimal(octets)}" for name, octets in found.octets.items() if octets]
    total = decimal(sum(found.octets.values()))
    yield "\non disk   ", total + (f": {', '.join(sizes)}" if sizes else "")
