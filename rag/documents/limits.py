"""The limits of what a reader takes from a file: bytes, expansion, depth, pages and cells. Its time
is bounded by the process that it runs in (`rag/ingest/pool.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from state.errors import DocumentError

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost.

    Attributes:
        text_bytes: size of a file that is read as a stream (text, logs, JSON lines, tables);
            its text and chunks are held until they are written.
        parsed_bytes: size of a file that a parser keeps (PDF, archives).
        whole_bytes: size of a file that is read whole (mail, notebooks).
        tree_bytes: size of markup that becomes a tree in memory (HTML, parts of archives);
            the tree may take twenty times as much.
        expanded_bytes: what all members of an archive may hold together.
        expansion_ratio: expanded to packed size, looked at beyond 32 MiB expanded.
        members: entries of an archive.
        depth: nesting of HTML; that of XML is bounded by its parser (`markup.py`).
        pages: pages, slides or chapters that are read; what follows is left out, with a warning.
        cells: table cells of a workbook that are read; likewise.
        pixels: of a picture that is read.
        recognized_pages: pages that are read off pictures; what follows is left out, likewise.
    """

    text_bytes: int = 256 * MIB
    parsed_bytes: int = 512 * MIB
    whole_bytes: int = 128 * MIB
    tree_bytes: int = 32 * MIB
    expanded_bytes: int = 512 * MIB
    expansion_ratio: int = 250
    members: int = 20_000
    depth: int = 200
    pages: int = 20_000
    cells: int = 5_000_000
    pixels: int = 100_000_000
    recognized_pages: int = 2_000


def check_size(size: int, limit: int) -> None:
    """Raises DocumentError when `size` bytes are more than `limit`."""
    if size > limit:
        raise DocumentError(
            f"too large: {size / MIB:,.0f} MiB, at most {limit / MIB:,.0f} MiB are read"
        )
