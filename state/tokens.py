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
    """o200k_base, built from the ranks that came with crag: tiktoken would download them.

    Raises:
        SetupError: they are missing or damaged.
    """
    import zlib

    import tiktoken

    from state.token_ranks import read_ranks

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
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return len(encoding().encode(clean, disallowed_special=()))


def fits(text: str, budget: int) -> bool:
    """Whether `text` has at most `budget` tokens.

    A token is at least one byte, so a text with no more bytes than that fits uncounted.
    """
    return len(text.encode("utf-8", "replace")) <= budget or count_tokens(text) <= budget
