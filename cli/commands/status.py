"""`crag status`: what is indexed, what is stale on disk, which models, how large."""

from __future__ import annotations

from pathlib import Path

from rich.filesize import decimal

from cli import options
from cli.app import new_app
from rag.embed.weights import reader_line
from rag.ingest.staleness import Staleness
from state.wording import many

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

    def tell(label: str, text: str) -> None:
        terminal.wrapped(label + text, len(label))

    engine = found["engine"]
    model = f"model {engine['model']}" if engine["model"] else "no model"
    tell("home      ", found["home"])
    tell("engine    ", f"{engine['name']}, {model}, embedder {engine['embedder']}")
    tell("reader    ", reader_line(Path(found["home"])))
    for each in found["collections"]:
        counts = (many(each[f"{what}s"], what) for what in ("document", "chunk", "character"))
        tell("", f"\n{each['name']}: {', '.join(counts)}; {each['embedder']}")
        for root in each["roots"]:
            tell("  from    ", root)
        if each["failed"] or each["skipped"]:
            tell("  unread  ", f"{each['failed']:,} failed, {each['skipped']:,} skipped")
        stale = Staleness(**each["stale"]).line(each["name"])
        tell("  stale   ", stale or "no indexed file has changed")
    tell("\non disk   ", decimal(found["bytes"]))
    if not found["collections"]:
        terminal.notice("Nothing was ingested yet. Run `crag ingest PATH` first.")
