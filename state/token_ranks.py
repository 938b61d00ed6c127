"""The tokens of o200k_base, packed for the wheel: 1 MB where their usual form takes 75.

A token's rank is its position; each is a byte that says its length, and its bytes.
"""

from __future__ import annotations

import gzip
import zlib
from base64 import b64decode
from importlib.util import find_spec
from pathlib import Path

PACKED = Path(__file__).with_name("o200k_base.bin")


def packed_ranks() -> bytes:
    """What belongs into the file, made from bpe-openai's data: the package is located, not
    imported, which would take a second.

    Raises:
        OSError, EOFError, zlib.error, ValueError: the data is missing, damaged, or has gaps.
    """
    lines = gzip.decompress(_source().read_bytes()).splitlines()
    tokens = [b64decode(line.split()[0]) for line in lines]
    if [int(line.split()[1]) for line in lines] != list(range(len(lines))):
        raise ValueError("the ranks are not the tokens' positions")
    return zlib.compress(b"".join(bytes([len(token)]) + token for token in tokens), 9)


def read_ranks() -> dict[bytes, int]:
    """Each token's rank: from the wheel's file, in a working tree from where that is made.

    Raises:
        OSError, EOFError, zlib.error, ValueError: the data is missing or damaged.
    """
    data = zlib.decompress(PACKED.read_bytes() if PACKED.is_file() else packed_ranks())
    ranks: dict[bytes, int] = {}
    start = 0
    while start < len(data):
        end = start + 1 + data[start]
        ranks[data[start + 1 : end]] = len(ranks)
        start = end
    return ranks


def _source() -> Path:
    spec = find_spec("bpe_openai")
    roots = (spec.submodule_search_locations or []) if spec else []
    for root in roots:
        if (file := Path(root, "data", "o200k_base.tiktoken.gz")).is_file():
            return file
    raise FileNotFoundError("bpe-openai is not installed")
