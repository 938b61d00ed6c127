"""A tool's result on the wire: as JSON text, as structured content, and links to its places."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any, ParamSpec, get_type_hints

import anyio.from_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp_types import CallToolResult, ContentBlock, ResourceLink, TextContent

from rag.ingest.ingest_report import OnEvent
from rag.mcp_server.results import IngestResult, Result
from rag.mcp_server.tools import one_line
from state.errors import CragError, UsageError
from state.ingest_events import IngestEvent
from state.settings import Settings
from state.written_place import written_place

P = ParamSpec("P")

PROGRESS_SECONDS = 0.5
"""Between two notifications of one ingest."""


def wired(tool: Callable[P, Result]) -> Callable[P, CallToolResult]:
    """The tool with its result as an agent reads it, and its failures as one-line tool errors."""

    def call(*args: P.args, **kwargs: P.kwargs) -> CallToolResult:
        with _failures(ToolError):
            return _on_the_wire(tool(*args, **kwargs))

    # The schemas of arguments and of the result are read from these.
    signature = inspect.signature(tool, eval_str=True)
    returned: Any = Annotated[CallToolResult, signature.return_annotation]
    call.__name__, call.__doc__ = tool.__name__, tool.__doc__
    call.__annotations__ = {**get_type_hints(tool), "return": returned}
    call.__dict__["__signature__"] = signature.replace(return_annotation=returned)
    return call


def wired_resource(read: Callable[[str, str], str]) -> Callable[[str, str], str]:
    def place(source: str, lines: str = "") -> str:
        with _failures(ResourceError):
            return read(source, lines).encode("utf-8", "replace").decode()

    return place


def ingesting(settings: Settings) -> Callable[..., CallToolResult]:
    """The tool that brings folders up to date, and reports how far it is while it does."""

    def ingest(ctx: Context, paths: list[str] | None = None) -> Any:
        with _failures(ToolError):
            return _on_the_wire(refresh(settings, paths or [], _progress(ctx)))

    ingest.__annotations__["return"] = Annotated[CallToolResult, IngestResult]
    return ingest


def refresh(
    settings: Settings, paths: Sequence[str], on_event: OnEvent = lambda _event: None
) -> IngestResult:
    """Ingest again what was ingested before, with the options of then; all of it where no path
    is named.

    Raises:
        UsageError: a path is none of the ingested folders.
        CragError: as an ingest.
    """
    from rag.index.stores import store_of
    from rag.ingest.sync import ingest
    from rag.opening import build_embedder

    roots = store_of(settings).roots(settings.one_collection)
    known = [root.path for root in roots if root.here]
    wanted = paths or known
    for path in wanted:
        # A folder that now is a link elsewhere is not the one that was ingested.
        if "\0" in path or os.path.realpath(path) not in known:
            raise UsageError(
                f"{path!r} was not ingested before.", "Ask the person to `crag ingest` it."
            )
    report = ingest(settings, build_embedder(settings), wanted, on_event=on_event)
    return IngestResult.model_validate(asdict(report))


def _progress(ctx: Context) -> OnEvent:
    """Files done of those planned; at most one notification in PROGRESS_SECONDS."""
    done = total = 0
    told_at = 0.0

    def on_event(event: IngestEvent) -> None:
        nonlocal done, total, told_at
        if event["event"] == "planned":
            total = event["files"]
        else:
            done += 1
        now = time.monotonic()
        if total and (done == total or now - told_at >= PROGRESS_SECONDS):
            told_at = now
            anyio.from_thread.run(ctx.report_progress, done, total, f"{done} of {total} files")

    return on_event


def _on_the_wire(result: Result) -> CallToolResult:
    links: list[ContentBlock] = [
        ResourceLink(
            uri=place.uri,
            name=written_place(place.source, place.page, place.start_line, place.end_line),
            mime_type="text/plain",
        )
        for name in ("citations", "nearest", "results")
        for place in getattr(result, name, ())
    ]
    text = TextContent(type="text", text=result.as_json())
    return CallToolResult(
        content=[text, *links], structured_content=result.model_dump(exclude_none=True)
    )


@contextmanager
def _failures(kind: type[Exception]) -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        raise kind(one_line(error)) from None
    except CragError as error:
        raise kind(f"crag failed: {one_line(error)}") from None
