"""Counting tokens as o200k_base does, offline, loaded only when a count is really needed."""

from __future__ import annotations

import gzip
import re
import zlib
from base64 import b64decode
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from state.errors import SetupError
from state.wording import without_surrogates

if TYPE_CHECKING:
    import tiktoken

_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_LETTERS = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_PIECES = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_LETTERS[0]}]*[{_LETTERS[1]}]+{_SUFFIX}",
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_LETTERS[0]}]+[{_LETTERS[1]}]*{_SUFFIX}",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
)
_ABOUT = re.compile(r"[a-zA-Z]{1,8}|[\u2e80-\uffff]|[^\W\d_]{1,3}|\d{1,3}|[^\w\s]{1,3}|_|\n+")
"""Matches what is mostly one token."""
_SPECIAL = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}


@lru_cache(maxsize=1)
def encoding() -> tiktoken.Encoding:
    """o200k_base, built from the ranks that came with crag: tiktoken would download them.

    Raises:
        SetupError: they are missing or damaged.
    """
    import tiktoken

    try:
        ranks = read_ranks()
    except (OSError, EOFError, zlib.error, LookupError, ValueError):
        raise SetupError(
            "Tokens cannot be counted: their ranks are missing or damaged.", "Install crag again."
        ) from None
    return tiktoken.Encoding(
        name="o200k_base", pat_str="|".join(_PIECES), mergeable_ranks=ranks, special_tokens=_SPECIAL
    )


def count_tokens(text: str) -> int:
    """Tokens in `text`; what looks like a special token is counted as plain text."""
    if not text:
        return 0
    return len(encoding().encode(without_surrogates(text), disallowed_special=()))


def estimate_tokens(text: str) -> int:
    """An estimate without the ranks, which take longer to load than a question's search: of prose,
    code and tables 0.8 to 1.2 of `count_tokens`, of Chinese and Russian up to 1.5.
    """
    return len(_ABOUT.findall(text))


PACKED = Path(__file__).with_name("o200k_base.bin")
"""The tokens in the order of their ranks, separated by _BETWEEN: 1 MB where their usual form takes
75. The file is made when crag is built or installed (setup.py).
"""
_TOKENS = 199_998
_BETWEEN = b"\xff"
"""A byte of no UTF-8, and so of no other token; as a token it is stored as an empty one."""


def packed_ranks() -> bytes:
    """The content of PACKED, made from bpe-openai's data. The package is located, not imported,
    which would take a second.

    Raises:
        OSError, EOFError, zlib.error, ValueError: the data is missing, damaged, or has gaps.
    """
    lines = gzip.decompress(_source().read_bytes()).splitlines()
    tokens = [b64decode(line.split()[0]) for line in lines]
    if [int(line.split()[1]) for line in lines] != list(range(_TOKENS)):
        raise ValueError("the ranks are not the tokens' positions")
    return zlib.compress(_BETWEEN.join(t.strip(_BETWEEN) for t in tokens), 9)


def read_ranks() -> dict[bytes, int]:
    """Each token's rank; raises as `packed_ranks`."""
    data = zlib.decompress(PACKED.read_bytes() if PACKED.is_file() else packed_ranks())
    ranks = dict(zip(data.split(_BETWEEN), range(_TOKENS), strict=True))
    ranks[_BETWEEN] = ranks.pop(b"")
    return ranks


def _source() -> Path:
    spec = find_spec("bpe_openai")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("bpe-openai is not installed")
    return Path(spec.origin).with_name("data") / "o200k_base.tiktoken.gz"
