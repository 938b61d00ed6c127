"""Counting tokens as o200k_base does, offline, loaded only when a count is really needed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from state.errors import SetupError

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
_SPECIAL = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}


@lru_cache(maxsize=1)
def encoding() -> tiktoken.Encoding:
    """o200k_base, built from the ranks that the bpe-openai package carries.

    tiktoken alone would download them. The package is located, not imported: its import
    costs a second, the ranks a third of one.

    Raises:
        SetupError: the package's data file is missing or damaged.

    """
    import gzip
    import zlib
    from base64 import b64decode
    from importlib.util import find_spec
    from pathlib import Path

    import tiktoken

    spec = find_spec("bpe_openai")
    roots = (spec.submodule_search_locations or []) if spec else []
    try:
        file = next(
            file for root in roots if (file := Path(root, "data/o200k_base.tiktoken.gz")).is_file()
        )
        lines = gzip.decompress(file.read_bytes()).splitlines()
        ranks = {b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    except (StopIteration, OSError, EOFError, zlib.error, ValueError):
        raise SetupError(
            "Tokens cannot be counted: the bpe-openai package's data is missing or damaged.",
            "Reinstall it: pip install --force-reinstall bpe-openai.",
        ) from None
    return tiktoken.Encoding(
        name="o200k_base", pat_str="|".join(_PIECES), mergeable_ranks=ranks, special_tokens=_SPECIAL
    )


def count_tokens(text: str) -> int:
    """Tokens in `text`; what looks like a special token is counted as plain text."""
    if not text:
        return 0
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return len(encoding().encode(clean, disallowed_special=()))


def fits(text: str, budget: int) -> bool:
    """Whether `text` has at most `budget` tokens.

    A token is at least one byte, so a text with no more bytes than that fits uncounted.
    """
    return len(text.encode("utf-8", "replace")) <= budget or count_tokens(text) <= budget
