"""`crag search`: retrieval alone, with scores."""

from __future__ import annotations

import time
from textwrap import indent
from typing import Annotated

import typer

from cli import options
from cli.app import new_app
from cli.asking import read_question
from state.wording import written_place

app = new_app()

_SHOWN = (
    *("chunk_id", "source", "page", "start_line", "end_line"),
    *("score", "dense_rank", "lexical_rank", "text"),
)


@options.command(app, "collection", "k", "store")
def search(
    given: options.Shared,
    query: Annotated[
        str, typer.Argument(help="What to search; '-' reads standard input.", metavar="QUERY")
    ],
    json_: options.Json = False,
) -> None:
    """Print the chunks that a query retrieves, best first.

    Of each is shown what comes nearest to the query.
    """
    from rag.opening import open_reader
    from rag.reading.reranker import Reranker
    from rag.reading.snippets import nearest_of

    terminal, settings = given.terminal, given.settings()
    text = read_question(query)
    began = time.perf_counter()
    with open_reader(settings, terminal.notice) as reader:
        hits = reader.search(text, settings.k)
        seconds = round(time.perf_counter() - began, 4)
        if json_:
            results = [
                {"rank": rank, **{name: dict(hit)[name] for name in _SHOWN}}
                for rank, hit in enumerate(hits, 1)
            ]
            found = {"query": text, "results": results, "seconds": seconds}
            terminal.json({"schema": "crag.search/1", **found})
            return
        nearest = nearest_of(text, hits, reader, Reranker(settings.home))
    if not hits:
        terminal.notice("Nothing found.")
    elif all(hit["lexical_rank"] is None for hit in hits):
        terminal.notice("None of these words was found: the nearest may say nothing of them.")
    for rank, (hit, said) in enumerate(zip(hits, nearest, strict=True), 1):
        terminal.wrapped(f"{rank:>2}  {hit['score']:.3f}  {written_place(said)}", 4)
        terminal.wrapped(indent(said["shown"], "    "), 4)
