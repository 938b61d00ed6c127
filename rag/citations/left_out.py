"""What was taken out of an answer, in a line each."""

from __future__ import annotations

from collections.abc import Sequence

from state.answer import ClaimRecord


def left_out(dropped: Sequence[str], claims: Sequence[ClaimRecord]) -> list[str]:
    """With the reason, where the claim is told with its verdict."""
    reasons = {claim["text"]: claim["reason"] for claim in claims}
    return [
        f"left out: “{' '.join(text.split())}”" + (f" ({reasons[text]})" if text in reasons else "")
        for text in dropped
    ]
