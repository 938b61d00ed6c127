"""What something cost, in words."""

from __future__ import annotations


def dollars(cost: float) -> str:
    """As in "$0.0123" or "$0.000039": four places, or two digits that count."""
    if cost >= 0.001 or cost <= 0:
        return f"${cost:.4f}"
    return f"${float(f'{cost:.2g}'):.12f}".rstrip("0")
