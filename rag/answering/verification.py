"""Claims that code found supported, shown once more to a model (`--verify model`).

One call for all claims. What the model denies is treated like what code could not support;
a claim it gave no verdict on stays as code judged it.
"""

from __future__ import annotations

from dataclasses import dataclass

from rag.answering.citations import Checked
from rag.answering.drafts import Piece, assemble, read_draft
from rag.engines.protocol import ClaimChecker
from state.answer import Citation, NodeUsage


@dataclass(frozen=True, slots=True)
class Verification:
    checked: Checked
    usage: NodeUsage
    warnings: tuple[str, ...]


def verify(checked: Checked, checker: ClaimChecker) -> Verification:
    """`checked` without the claims that the model denies, markers numbered anew.

    Raises:
        ModelError, BudgetSpent: the call failed, or was not allowed.

    """
    pieces = read_draft(checked.text)
    claims = [piece for piece in pieces if piece.is_claim and piece.markers]
    quotes = {citation["marker"]: citation["quote"] for citation in checked.citations}
    verdicts = checker.verify(
        [claim.text for claim in claims],
        [" … ".join(quotes[m] for m in claim.markers if m in quotes) for claim in claims],
    )
    denied = [c for c, held in zip(claims, verdicts.supported, strict=True) if held is False]
    if denied:
        checked = _without(checked, pieces, claims, denied)
    return Verification(checked, verdicts.usage, verdicts.warnings)


def _without(
    checked: Checked, pieces: list[Piece], claims: list[Piece], denied: list[Piece]
) -> Checked:
    by_marker = {citation["marker"]: citation for citation in checked.citations}
    numbers: dict[int, int] = {}
    kept: dict[Piece, tuple[int, ...]] = {}
    for claim in claims:
        if claim not in denied:
            markers = [marker for marker in claim.markers if marker in by_marker]
            kept[claim] = tuple(numbers.setdefault(m, len(numbers) + 1) for m in markers)
    citations: list[Citation] = [{**by_marker[old], "marker": new} for old, new in numbers.items()]
    unsupported = (*checked.unsupported, *(claim.text for claim in denied))
    return Checked(assemble(pieces, kept), citations, unsupported)
