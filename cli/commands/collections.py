"""`crag collections`: list, show, delete and in part forget what was ingested."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal

from cli import options
from cli.app import new_app
from cli.completion import complete_collection
from cli.terminal import one_line
from state.wording import many, plural

if TYPE_CHECKING:
    from rag.index.protocol import IndexedDocument
    from rag.index.store import Store

app = new_app("List, show and delete collections, and forget folders.", no_args_is_help=True)

Name = Annotated[
    str, typer.Argument(help="The collection.", metavar="NAME", autocompletion=complete_collection)
]


@app.command("list")
@options.taking("store")
def list_(given: options.Given, json_: options.Json = False) -> None:
    """Print every collection with its totals."""
    terminal = given.terminal
    found = _store(given).summaries()
    if json_:
        rows = [{**asdict(each), "embedder": str(each.embedder)} for each in found]
        terminal.json({"schema": "crag.collections/1", "collections": rows})
        return
    width = max((len(each.name) for each in found), default=0)
    for each in found:
        documents = f"{each.documents:>8,} {plural(each.documents, 'document'):<9}"
        totals = f"{documents} {each.chunks:>10,} {plural(each.chunks, 'chunk'):<6}"
        terminal.out(f"{each.name:<{width}}  {totals}  {each.embedder}")
    if not found:
        terminal.notice("Nothing was ingested yet. Run `crag ingest PATH` first.")


@app.command()
@options.taking("store")
def show(given: options.Given, name: Name, json_: options.Json = False) -> None:
    """Print the documents of a collection, and the files that gave none."""
    terminal = given.terminal
    found = _store(given).require_inventory(name)
    documents = sorted(found.documents, key=lambda document: document.source)
    if json_:
        shown: dict[str, object] = {
            "schema": "crag.collection/1",
            "name": found.name,
            "embedder": str(found.embedder),
            "roots": found.roots,
            "documents": [_document(document) for document in documents],
            "unread": [
                {"path": file.path, "reason": file.reason, "failed": file.failed}
                for file in found.unread
            ],
        }
        terminal.json(shown)
        return
    for document in documents:
        size = decimal(document.stat.size)
        chunks = f"{document.chunk_count:>6,} {plural(document.chunk_count, 'chunk'):<6}"
        terminal.out(f"{chunks} {size:>9}  {document.format:<9} {one_line(document.source)}")
    for file in sorted(found.unread, key=lambda file: file.path):
        state = "failed" if file.failed else "skipped"
        terminal.out(f"{state:>13} {one_line(file.path)}: {file.reason}")


@app.command()
@options.taking("store", "quiet")
def delete(
    given: options.Given, name: Name, yes: options.Yes = False, json_: options.Json = False
) -> None:
    """Delete a collection: its text, its indexes, its vectors. The files stay as they are."""
    terminal, kept = given.terminal, _store(given)
    count = len(kept.require_inventory(name).documents)
    question = f"Delete the collection {name!r} with its {many(count, 'document')}?"
    terminal.confirm(question, yes=yes)
    kept.delete(name)
    if json_:
        terminal.json({"schema": "crag.deleted/1", "name": name, "documents": count})
    terminal.notice(f"Deleted {name!r}: {many(count, 'document')}.")


@app.command()
@options.taking("collection", "store", "quiet")
def forget(
    given: options.Given,
    path: Annotated[str, typer.Argument(help="A folder or file that was ingested.")],
    yes: options.Yes = False,
    json_: options.Json = False,
) -> None:
    """Take a folder or file out of a collection. It may have gone from the disk."""
    from rag.ingest.forget import forget as forget_held
    from rag.ingest.forget import holding

    terminal, kept = given.terminal, _store(given)
    name = given.settings().one_collection
    held = holding(kept, name, path)
    question = f"Forget {many(len(held.sources), 'document')} of {held.path} in {name!r}?"
    terminal.confirm(question, yes=yes)
    removed = forget_held(kept, name, held, notice=terminal.notice)
    if json_:
        told = {"name": name, "path": held.path, "documents": removed}
        terminal.json({"schema": "crag.forgotten/1", **told})
    terminal.notice(f"{name}: {many(removed, 'document')} forgotten; no file was changed.")


def _store(given: options.Given) -> Store:
    from rag.index.stores import store_of

    return store_of(given.settings())


def _document(document: IndexedDocument) -> dict[str, object]:
    return {
        "source": document.source,
        "path": document.path,
        "title": document.title,
        "format": document.format,
        "bytes": document.stat.size,
        "chunks": document.chunk_count,
        "characters": document.characters,
        "warnings": list(document.warnings),
    }
