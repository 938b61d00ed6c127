"""Claims that code found supported, shown once more to a model (`--verify model`).

One call for all claims. What the model denies is treated like what code could not support;
a claim it gave no verdict on stays as code judged it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.citations.assembly import assemble, is_claim
from rag.citations.check import Checked
from rag.engines.openai.claims import read_claims
from rag.engines.protocol import ClaimChecker
from state.answer import Citation, NodeUsage
from state.draft import DraftClaim


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
    draft = read_claims(checked.text)
    claims = [place for place, c in enumerate(draft) if is_claim(c) and c["passages"]]
    quotes = {citation["marker"]: citation["quote"] for citation in checked.citations}
    verdicts = checker.verify(
        [draft[place]["text"] for place in claims],
        [" … ".join(quotes[m] for m in draft[c]["passages"] if m in quotes) for c in claims],
    )
    denied = [c for c, held in zip(claims, verdicts.supported, strict=True) if held is False]
    if denied:
        checked = _without(checked, draft, claims, denied)
    return Verification(checked, verdicts.usage, verdicts.warnings)


def _without(
    checked: Checked, draft: Sequence[DraftClaim], claims: Sequence[int], denied: Sequence[int]
) -> Checked:
    by_marker = {citation["marker"]: citation for citation in checked.citations}
    numbers: dict[int, int] = {}
    kept: dict[int, tuple[int, ...]] = {}
    for place in claims:
        if place not in denied:
            markers = [marker for marker in draft[place]["passages"] if marker in by_marker]
            kept[place] = tuple(numbers.setdefault(m, len(numbers) + 1) for m in markers)
    citations: list[Citation] = [{**by_marker[old], "marker": new} for old, new in numbers.items()]
    unsupported = (*checked.unsupported, *(draft[place]["text"] for place in denied))
    return Checked(assemble(draft, kept), citations, unsupported)
