"""`crag status`: what is indexed, what is stale on disk, which models, how large."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.filesize import decimal

from cli import options
from cli.app import new_app
from state.counting import many

if TYPE_CHECKING:
    from rag.collection_status import CollectionStatus, Status

app = new_app()


@app.command()
@options.taking("collections", "store", "quiet")
def status(given: options.Given, json_: options.Json = False) -> None:
    """Show what is indexed, what is stale, which models, how large.

    Of every collection, or of the one that --collection names.
    """
    terminal = given.terminal
    settings = given.settings()
    from rag.collection_status import read_status

    found = read_status(settings, only=given.flags["collection"])
    if json_:
        terminal.json(status_json(found))
        return
    for line in status_lines(found):
        terminal.out(line)
    if not found.collections:
        terminal.notice("Nothing was ingested yet. Run `crag ingest PATH` first.")


def status_json(found: Status) -> dict[str, Any]:
    """The `crag.status/1` object."""
    return {
        "schema": "crag.status/1",
        "home": found.home,
        "engine": {"name": found.engine, "model": found.model, "embedder": found.embedder},
        "collections": [_collection_json(each) for each in found.collections],
        "bytes": {**found.octets, "total": sum(found.octets.values())},
    }


def _collection_json(each: CollectionStatus) -> dict[str, Any]:
    totals, stale = asdict(each.totals), asdict(each.stale)
    return {**totals, "embedder": str(each.totals.embedder), "stale": stale}


def status_lines(found: Status) -> list[str]:
    """The same for a person."""
    lines = [f"home      {found.home}", f"engine    {_engine(found)}"]
    for each in found.collections:
        lines += ["", *_collection_lines(each)]
    sizes = [f"{name} {decimal(octets)}" for name, octets in found.octets.items() if octets]
    total = decimal(sum(found.octets.values()))
    return [*lines, "", f"on disk   {total}" + (f": {', '.join(sizes)}" if sizes else "")]


def _engine(found: Status) -> str:
    model = f", model {found.model}" if found.model else ", no model"
    return f"{found.engine}{model}, embedder {found.embedder}"


def _collection_lines(each: CollectionStatus) -> list[str]:
    totals = each.totals
    counted = ", ".join(
        (
            many(totals.documents, "document"),
            many(totals.chunks, "chunk"),
            many(totals.characters, "character"),
        )
    )
    lines = [f"{totals.name}: {counted}; {totals.embedder}"]
    lines += [f"  from    {root}" for root in totals.roots]
    if totals.failed or totals.skipped:
        lines.append(f"  unread  {totals.failed:,} failed, {totals.skipped:,} skipped")
    lines.append(f"  stale   {each.stale.line or 'no indexed file has changed'}")
    return lines
