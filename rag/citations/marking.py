"""Where markers stand in a part of an answer, and how its parts are put together."""

from __future__ import annotations

import re
from collections.abc import Sequence

from state.answer import ClaimRecord

NO_QUOTE = "(no quote found)"

_ROW = re.compile(r"\s*\|.*\|\s*$")
_FENCE = re.compile(r"\s{0,3}(?:`{3,}|~{3,})\s*$")
_CLOSERS = "\"'”’»)*_`"


def marked(text: str, signs: str, *, verbatim: bool = False) -> str:
    """The part with its markers: outside of what is verbatim, before a sentence's full stop, in a
    row's last cell, below a closed fence and below what ends with a line of its own.
    """
    below = text.endswith("\n")
    text = text.rstrip()
    last = text.rpartition("\n")[2]
    if not signs:
        return text
    if below or _FENCE.match(last):
        return f"{text}\n{signs}"
    if verbatim:
        return f"{text} {signs}"
    if _ROW.match(last):
        return f"{text.removesuffix('|').rstrip()} {signs} |"
    core = text.rstrip(_CLOSERS)
    if core != text or core.endswith("...") or not core.endswith((".", "。", ":")):
        return f"{text} {signs}"
    return f"{text[:-1]} {signs}{text[-1]}"


def joined(shown: Sequence[tuple[str, str]]) -> str:
    """The parts, each behind its own whitespace; the first one's goes."""
    return "".join(before + text for before, text in shown).strip()


def left_out(dropped: Sequence[str], claims: Sequence[ClaimRecord]) -> list[str]:
    """What was taken out of an answer, in a line each; with the reason, where the claim is told
    with its verdict.
    """
    reasons = {claim["text"]: claim["reason"] for claim in claims}
    return [
        f"left out: “{' '.join(text.split())}”" + (f" ({reasons[text]})" if text in reasons else "")
        for text in dropped
    ]
