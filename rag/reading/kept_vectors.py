"""Vectors of texts, kept by the texts' hashes in a file of their own in the home: a text that was
read once is never read again. The file can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.reading.weights import IDENTITY

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors

MOST_KEPT = 120_000
"""Some 100 MB; beyond it the oldest half is forgotten."""
_BUSY_SECONDS = 1.0
_AT_ONCE = 500


class KeptVectors:
    """One file. Where it cannot be read or written nothing is kept, and no question fails of it."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def vectors(self, texts: Sequence[str], read: Callable[[Sequence[str]], Vectors]) -> Vectors:
        """In the order of `texts`; `read` gives those that are not known yet."""
        import numpy as np

        keys = [_key(text) for text in texts]
        found = self._known(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            made = dict(zip(new, read([*new.values()]), strict=True))
            self._keep({key: vector.astype(np.float16).tobytes() for key, vector in made.items()})
        else:
            made = {}
        rows = [
            made[key] if key in made else np.frombuffer(found[key], np.float16).astype(np.float32)
            for key in keys
        ]
        return np.stack(rows)

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        try:
            with _opened(self._file) as file:
                for first in range(0, len(keys), _AT_ONCE):
                    some = keys[first : first + _AT_ONCE]
                    marks = ",".join("?" * len(some))
                    query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608
                    found |= dict(file.execute(query, some))
        except (sqlite3.Error, OSError):
            return {}
        return found

    def _keep(self, made: dict[bytes, bytes]) -> None:
        try:
            with _opened(self._file) as file:
                file.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", made.items())
                (last,) = file.execute("SELECT max(rowid) FROM vectors").fetchone()
                (first,) = file.execute("SELECT min(rowid) FROM vectors").fetchone()
                if last - first >= MOST_KEPT:
                    file.execute("DELETE FROM vectors WHERE rowid < ?", (last - MOST_KEPT // 2,))
        except (sqlite3.Error, OSError):
            return  # they are made again


class _opened:  # noqa: N801 - reads as a function
    """The file for one transaction."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, timeout=_BUSY_SECONDS)

    def __enter__(self) -> sqlite3.Connection:
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB UNIQUE NOT NULL, vector BLOB NOT NULL)"
        )
        return self._connection

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._connection.commit()
        self._connection.close()


def _key(text: str) -> bytes:
    return hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=12, key=IDENTITY.encode()
    ).digest()
