"""Caches the token vectors of texts by their hashes, in a file of the home, so that no text is
encoded again soon. The file can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from rag.embed.protocol import TokenVectors
from rag.embed.weights import READER

Held = tuple[bytes, bytes]
MOST_KEPT = 1_500
"""Entries, some 100 MB; beyond that the oldest half is deleted."""
_BUSY_SECONDS = 1.0
_SCALE = 127
"""Maps the components of a unit vector to int8."""


class ReadingCache:
    """One SQLite file. If it cannot be read or written, nothing is cached and no question fails."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def vectors(
        self, texts: Sequence[str], encode: Callable[[Sequence[str]], Sequence[TokenVectors]]
    ) -> list[TokenVectors]:
        """The token vectors of `texts`, in their order; `encode` makes those not cached yet. New
        ones are returned as they are stored, so that the same question finds the same again.
        """
        keys = [_key(text) for text in texts]
        found = self._known(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            made = dict(zip(new, map(_quantized, encode([*new.values()])), strict=True))
            self._keep(made)
            found |= made
        return [_restored(*found[key]) for key in keys]

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Held]:
        placeholders = ",".join("?" * len(keys))
        query = f"SELECT key, vectors, spans FROM readings WHERE key IN ({placeholders})"  # noqa: S608
        try:
            with self._opened() as file:
                return {key: (vectors, spans) for key, vectors, spans in file.execute(query, keys)}
        except (sqlite3.Error, OSError):
            return {}

    def _keep(self, made: Mapping[bytes, Held]) -> None:
        try:
            with self._opened() as file:
                rows = ((key, *held) for key, held in made.items())
                file.executemany("INSERT OR IGNORE INTO readings VALUES (?, ?, ?)", rows)
                first, last = file.execute("SELECT min(rowid), max(rowid) FROM readings").fetchone()
                if last - first >= MOST_KEPT:
                    file.execute("DELETE FROM readings WHERE rowid < ?", (last - MOST_KEPT // 2,))
        except (sqlite3.Error, OSError):
            return  # they are encoded again

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Opens the file for one transaction."""
        with closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as file, file:
            file.execute("PRAGMA journal_mode=WAL")
            file.execute("PRAGMA synchronous=OFF")
            file.execute(
                "CREATE TABLE IF NOT EXISTS readings"
                " (key BLOB UNIQUE NOT NULL, vectors BLOB NOT NULL, spans BLOB NOT NULL)"
            )
            yield file


def _quantized(encoded: TokenVectors) -> Held:
    import numpy as np

    vectors = np.rint(encoded.vectors * _SCALE).astype(np.int8)
    return vectors.tobytes(), encoded.spans.astype(np.uint16).tobytes()


def _restored(vectors: bytes, spans: bytes) -> TokenVectors:
    import numpy as np

    places = np.frombuffer(spans, np.uint16).reshape(-1, 2)
    held = np.frombuffer(vectors, np.int8).astype(np.float32)  # MaxSim asks for no length
    width = held.size // max(len(places), 1)
    return TokenVectors(held.reshape(len(places), width), places)


def _key(text: str) -> bytes:
    said = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(said, digest_size=12, key=READER.identity.encode()).digest()
