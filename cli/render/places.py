"""Where a citation points, in words."""

from __future__ import annotations

from cli.terminal import one_line


def place(
    source: str, page: int | None = None, start: int | None = None, end: int | None = None
) -> str:
    """As in "guide.pdf p. 4", "notes.md:12-14" or "notes.md:12"."""
    source = one_line(source)
    if page is not None:
        return f"{source} p. {page}"
    if start is None:
        return source
    return f"{source}:{start}" if end in (None, start) else f"{source}:{start}-{end}"
