"""What the catalog knows of files, as a sync compares it with a folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from rag.index.codec import decode_path, encode_path
from rag.index.protocol import FileMark, UnreadFile


def file_times(
    connection: sqlite3.Connection, collection_id: int
) -> dict[str, tuple[int, int, int]]:
    """What tells an unchanged file: read by the thousand in every ingest."""
    rows = connection.execute(
        "SELECT path, size, mtime_ns, changed_ns FROM documents NOT INDEXED"
        " WHERE collection_id = ? AND visible = 1 AND path IS NOT NULL",
        (collection_id,),
    )
    return {
        path.decode("utf-8", "surrogateescape"): (size, modified, changed)
        for path, size, modified, changed in rows
    }


def file_marks(
    connection: sqlite3.Connection, collection_id: int, paths: Iterable[str] | None = None
) -> list[FileMark]:
    """What a sync compares, of all documents that are files, or of those at `paths`."""
    wanted = None if paths is None else set(map(encode_path, paths))
    rows = connection.execute(
        "SELECT path, root, source, size, mtime_ns, changed_ns, content_hash FROM documents"
        " WHERE collection_id = ? AND visible = 1 AND path IS NOT NULL",
        (collection_id,),
    )
    roots: dict[bytes | None, str | None] = {None: None}
    marks = []
    for path, root, source, *rest in rows:
        if wanted is not None and path not in wanted:
            continue
        if root not in roots:
            roots[root] = decode_path(root)
        marks.append(FileMark(decode_path(path), roots[root], decode_path(source), *rest))
    return marks


def unread(connection: sqlite3.Connection, collection_id: int) -> list[UnreadFile]:
    """The files remembered as unreadable, in no order."""
    rows = connection.execute(
        "SELECT path, size, mtime_ns, changed_ns, reason, failed FROM unread"
        " WHERE collection_id = ?",
        (collection_id,),
    )
    return [
        UnreadFile(decode_path(path), size, modified, changed, reason, bool(failed))
        for path, size, modified, changed, reason, failed in rows
    ]
