"""`crag collections`: list, show and delete what was ingested."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.filesize import decimal

from cli import options
from cli.app import DefaultGroup, new_app
from rag.opening import store_of
from rag.text.prose import one_line
from state.wording import many

app = new_app("List, show and delete collections.", cls=DefaultGroup)

_DOCUMENT = ("source", "path", "title", "format", "characters")
_UNREAD = ("path", "reason", "failed")
Name = Annotated[str, typer.Argument(help="The collection.", metavar="NAME")]


@options.command(app, "store", name="list")
def list_(given: options.Shared, json_: options.Json = False) -> None:
    """Print every collection with its totals."""
    terminal = given.terminal
    found = store_of(given.settings()).summaries()
    if json_:
        rows = [{**asdict(each), "embedder": str(each.embedder)} for each in found]
        terminal.json({"schema": "crag.collections/1", "collections": rows})
        return
    told = [
        {
            "name": each.name,
            "documents": f"{many(each.documents, 'document'):>15}",
            "chunks": f"{many(each.chunks, 'chunk'):>13}",
            "embedder": str(each.embedder),
        }
        for each in found
    ]
    terminal.table(
        told, "embedder", "chunks", none="Nothing was ingested yet. Run `crag ingest PATH` first."
    )


@options.command(app, "store")
def show(given: options.Shared, name: Name, json_: options.Json = False) -> None:
    """Print the documents of a collection, and the files that gave none."""
    terminal = given.terminal
    with store_of(given.settings()).contents(name) as held:
        documents = sorted(held.documents(), key=lambda document: document.source)
        unread = held.unread()
        roots = list(held.roots())
    if json_:
        rows = [
            {
                **{key: getattr(each, key) for key in _DOCUMENT},
                "bytes": each.stat.size,
                "chunks": each.chunk_count,
                "warnings": list(each.warnings),
            }
            for each in documents
        ]
        files = [{key: getattr(file, key) for key in _UNREAD} for file in unread]
        shown = {"name": name, "roots": roots, "embedder": str(held.row.embedder)}
        terminal.json({"schema": "crag.collection/1", **shown, "documents": rows, "unread": files})
        return
    told = [
        {
            "chunks": f"{many(each.chunk_count, 'chunk'):>13}",
            "size": f"{decimal(each.stat.size):>9}",
            "format": each.format,
            "source": one_line(each.source),
        }
        for each in documents
    ]
    terminal.table(told, "chunks", "format", "size", none=f"No document is in {name}.")
    for file in sorted(unread, key=lambda file: file.path):
        state = "failed" if file.failed else "skipped"
        terminal.wrapped(f"{state:>13}  {one_line(file.path)}: {file.reason}", 4)


@options.command(app, "store")
def delete(
    given: options.Shared, name: Name, yes: options.Yes = False, json_: options.Json = False
) -> None:
    """Delete a collection: its text, its indexes, its vectors. The files stay as they are."""
    terminal, kept = given.terminal, store_of(given.settings())
    with kept.contents(name) as held:
        count, *_ = held.totals()
    question = f"Delete the collection {name!r} with its {many(count, 'document')}?"
    terminal.confirm(question, yes=yes)
    kept.delete(name)
    if json_:
        terminal.json({"schema": "crag.deleted/1", "name": name, "documents": count})
    terminal.notice(f"Deleted {name!r}: {many(count, 'document')}.")
