"""A place in a document, as people read it."""

from __future__ import annotations


def written_place(
    source: str, page: int | None = None, start: int | None = None, end: int | None = None
) -> str:
    """As in "guide.pdf p. 4", "notes.md:12-14" or "notes.md:12"; lines count from 1."""
    if page is not None:
        return f"{source} p. {page}"
    if start is None:
        return source
    return f"{source}:{start}" if end in (None, start) else f"{source}:{start}-{end}"
