"""A place in a document, as people read it."""

from __future__ import annotations

from typing import TypedDict


def written_place(
    source: str, page: int | None = None, start: int | None = None, end: int | None = None
) -> str:
    """As in "guide.pdf p. 4", "notes.md:12-14" or "notes.md:12"; lines count from 1."""
    if page is not None:
        return f"{source} p. {page}"
    if start is None:
        return source
    return f"{source}:{start}" if end in (None, start) else f"{source}:{start}-{end}"


class Anchored(TypedDict):
    """The place of a citation: lines only where they are lines of the file itself."""

    anchor: str | None
    start_line: int | None
    end_line: int | None


def anchored(anchor: str | None, start: int, end: int) -> Anchored:
    """As a person says it: what the document itself calls the place, or else its line."""
    if anchor is not None:
        return {"anchor": anchor, "start_line": None, "end_line": None}
    return {"anchor": f"line {start}", "start_line": start, "end_line": end}
