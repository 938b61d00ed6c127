"""How values of the program are kept in the catalog's columns."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors

BLOCK_CHARACTERS = 16_384
_BLOCK_BITS = 20


def block_row(document_id: int, start_char: int) -> int:
    """The row of the block that holds this character; a document's rows are consecutive."""
    return (document_id << _BLOCK_BITS) | (start_char // BLOCK_CHARACTERS)


def encode_path(path: str) -> bytes:
    """Names on a disk are bytes; Python holds those that are no UTF-8 as surrogates."""
    return path.encode("utf-8", "surrogateescape")


def decode_path(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def encode_label(text: str) -> str:
    """A title or heading that any column takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def encode_block(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 6)


def decode_block(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def text_hash(text: str) -> int:
    """64 bits that say which text was embedded."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def chunk_key(chunk_id: str) -> int:
    """A chunk id as the catalog's integer; -1 for a string that is no chunk id."""
    try:
        return int.from_bytes(bytes.fromhex(chunk_id).rjust(8, b"\0")[-8:], "big", signed=True)
    except ValueError:
        return -1


def chunk_id_of(key: int) -> str:
    return key.to_bytes(8, "big", signed=True).hex()


def encode_vectors(vectors: Vectors) -> list[bytes]:
    """Rows as float16: half the disk; a cosine moves by less than 0.001."""
    import numpy as np

    return [row.tobytes() for row in np.asarray(vectors, dtype=np.float16)]


def decode_vectors(rows: Sequence[bytes], dimension: int) -> Vectors:
    """float32 of shape (len(rows), dimension)."""
    import numpy as np

    flat = np.frombuffer(b"".join(rows), dtype=np.float16)
    return flat.reshape(len(rows), dimension).astype(np.float32)


def blocks_of(texts: Iterable[str]) -> Iterator[str]:
    """The same characters in blocks of BLOCK_CHARACTERS, the last one shorter."""
    rest = ""
    for text in texts:
        rest += text
        whole = len(rest) - len(rest) % BLOCK_CHARACTERS
        for start in range(0, whole, BLOCK_CHARACTERS):
            yield rest[start : start + BLOCK_CHARACTERS]
        rest = rest[whole:]
    if rest:
        yield rest
