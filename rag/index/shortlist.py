"""Which chunks can be among the nearest, from one mapped file of a collection's vectors.

Each vector is kept as a byte a dimension and a step. What rounding can have done to a cosine
is bounded, so the shortlist holds every chunk that may belong to the nearest, and the catalog's
own vectors decide among these: the result is that of reading all of them. It costs a hundredth
of what importing and opening Chroma costs, as long as there are few enough to be passed over.

The file lies with the generation of Chroma's folder that it was written beside, carries its
token and a checksum, and is written again where it is missing or not what it should be.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import numpy as np

from rag.index.codec import decode_vectors

if TYPE_CHECKING:
    import numpy.typing as npt

    from rag.embed.protocol import Vectors
    from rag.index.vector_place import StoreState, VectorPlace

_HEADER_BYTES = 512
_BATCH = 8_192
_STEPS = 127

_SYNCED_VECTORS = """
SELECT vectors.chunk_id, vectors.vector FROM documents
CROSS JOIN chunks ON chunks.document_id = documents.id
CROSS JOIN vectors ON vectors.chunk_id = chunks.id
WHERE documents.collection_id = ? AND vectors.chunk_id <= ?
"""


@dataclass(frozen=True, slots=True)
class Shortlist:
    """`codes` int8 (n, dimension), of length about 1 once multiplied by `steps` float32 (n,);
    `ids` int64 (n,), the chunks' rows. No chunk past `synced` is in it.
    """

    token: str
    synced: int
    ids: npt.NDArray[np.int64]
    steps: npt.NDArray[np.float32]
    codes: npt.NDArray[np.int8]

    def candidates(
        self,
        query: Vectors,
        limit: int,
        without: Collection[int] = (),
        among: Collection[int] | None = None,
    ) -> list[int]:
        """Every chunk that may be one of the `limit` nearest to `query`, and some others; of those
        `among` only, where they are given.
        """
        if not len(self.ids) or not limit:
            return []
        near = np.empty(len(self.ids), dtype=np.float32)
        for first in range(0, len(near), _BATCH):
            some = slice(first, first + _BATCH)
            near[some] = self.codes[some].astype(np.float32) @ query
        near *= self.steps
        # A code is off by half a step at most, float32 by far less than the added thousandth.
        off = self.steps * (0.501 * float(np.abs(query).sum()))
        if without:
            near[np.isin(self.ids, list(without))] = -np.inf
        if among is not None:
            near[np.isin(self.ids, list(among), invert=True)] = -np.inf
        kept = near > -np.inf
        if len(near) > limit:
            sure = np.partition(near - off, len(near) - limit)[len(near) - limit]
            kept &= near + off >= sure
        return [int(number) for number in self.ids[kept]]


def path_of(place: VectorPlace, state: StoreState) -> Path:
    """In a folder of its own, as Chroma's lie in theirs."""
    return place.folder(state) / "near" / "vectors.i8"


def read(place: VectorPlace, state: StoreState) -> Shortlist | None:
    """The file of this state; None where there is none, or it is damaged or of another."""
    found = _whole(path_of(place, state), place.identity.dimension)
    return found if found is not None and found.token == state.token else None


def is_damaged(place: VectorPlace, state: StoreState) -> bool:
    """Whether there is a file that is not what was written; one of another state is sound."""
    path = path_of(place, state)
    return path.exists() and _whole(path, place.identity.dimension) is None


def _whole(path: Path, dimension: int) -> Shortlist | None:
    try:
        with path.open("rb") as file:
            header = json.loads(file.read(_HEADER_BYTES))
            data = np.memmap(file, np.uint8, "r", offset=_HEADER_BYTES)
        token, count, synced = str(header["token"]), int(header["count"]), int(header["synced"])
    except (OSError, ValueError, LookupError, TypeError):
        return None
    sizes = (count * 8, count * 4, count * dimension)
    if sum(sizes) != len(data) or header.get("crc") != _checksum(data.data, token, synced):
        return None
    ids, steps, codes = np.split(data, [sizes[0], sizes[0] + sizes[1]])
    return Shortlist(
        token,
        synced,
        ids.view(np.int64),
        steps.view(np.float32),
        codes.view(np.int8).reshape(count, dimension),
    )


def _checksum(body: bytes | memoryview, token: str, synced: int) -> int:
    return zlib.crc32(body, zlib.crc32(f"{synced} {token}".encode()))


def write(connection: sqlite3.Connection, place: VectorPlace, state: StoreState) -> None:
    """Make the file of this state. One that cannot be written costs time, never a result."""
    ids, steps, codes = _encoded(connection, place, state)
    body = b"".join((ids.tobytes(), steps.tobytes(), codes.tobytes()))
    header = {
        "token": state.token,
        "synced": state.synced,
        "count": len(ids),
        "crc": _checksum(body, state.token, state.synced),
    }
    path = path_of(place, state)
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            try:
                file.write(json.dumps(header).encode().ljust(_HEADER_BYTES))
                file.write(body)
                file.close()
                os.replace(file.name, path)  # noqa: PTH105 - a name, not a path
            except OSError:
                os.unlink(file.name)  # noqa: PTH108 - same
                raise


def _encoded(
    connection: sqlite3.Connection, place: VectorPlace, state: StoreState
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.int8]]:
    cursor = connection.execute(_SYNCED_VECTORS, (place.collection_id, state.synced))
    ids: list[int] = []
    steps = [np.empty(0, dtype=np.float32)]
    codes = [np.empty((0, place.identity.dimension), dtype=np.int8)]
    while rows := cursor.fetchmany(_BATCH):
        ids += [row[0] for row in rows]
        step, code = _quantized([row[1] for row in rows], place.identity.dimension)
        steps.append(step)
        codes.append(code)
    return np.array(ids, dtype=np.int64), np.concatenate(steps), np.concatenate(codes)


def _quantized(
    rows: Sequence[bytes], dimension: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
    stored = decode_vectors(rows, dimension)
    lengths = np.linalg.norm(stored, axis=1, keepdims=True)
    stored /= np.maximum(lengths, np.finfo(np.float32).tiny)
    steps = np.abs(stored).max(axis=1, initial=0) / _STEPS
    codes = np.rint(stored / np.maximum(steps, np.finfo(np.float32).tiny)[:, None])
    return steps.astype(np.float32), codes.astype(np.int8)
