"""How values of the program are kept in a store's columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from state.blocks import Block, BlockKind

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors


def encode_path(path: str) -> bytes:
    """The bytes of a path; those that are no UTF-8 are surrogates in Python's text."""
    return path.encode("utf-8", "surrogateescape")


def decode_path(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def chunk_key(chunk_id: str) -> int:
    """A chunk id as the store's integer; -1 for a string that is no chunk id."""
    try:
        return int.from_bytes(bytes.fromhex(chunk_id).rjust(8, b"\0")[-8:], "big", signed=True)
    except ValueError:
        return -1


def chunk_id_of(key: int) -> str:
    return key.to_bytes(8, "big", signed=True).hex()


def encode_blocks(blocks: Sequence[Block]) -> str:
    return json.dumps(blocks, separators=(",", ":"))


def decode_blocks(stored: str) -> list[Block]:
    return [
        Block(BlockKind(kind), start, end, level, lead and (lead[0], lead[1]))
        for kind, start, end, level, lead in json.loads(stored)
    ]


def encode_vectors(vectors: Vectors) -> list[bytes]:
    """Rows as float16: half the disk; a cosine moves by less than 0.001."""
    import numpy as np

    return [row.tobytes() for row in np.asarray(vectors, dtype=np.float16)]


def decode_vectors(stored: Sequence[bytes], dimension: int) -> Vectors:
    """The vectors that `encode_vectors` encoded: float32 of shape (len(stored), dimension)."""
    import numpy as np

    halves = np.frombuffer(b"".join(stored), dtype=np.float16)
    return halves.reshape(len(stored), dimension).astype(np.float32)


def cosines_of(stored: Vectors, query: Vectors) -> Vectors:
    """The cosine of each stored vector with the query, which has length 1. Rounded to float16 the
    stored ones have not: they are divided by their lengths, as Chroma does, for equal scores.
    """
    import numpy as np

    lengths = np.linalg.norm(stored, axis=1)
    result: Vectors = stored @ query / np.maximum(lengths, np.finfo(np.float32).tiny)
    return result
