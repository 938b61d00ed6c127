"""Parts that code left in doubt, shown to a model with what they cite (`--verify model`).

One call for all of them. What the model finds supported is verified, what it denies is left out,
and a part it gave no verdict on stays as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rag.citations.check import Checked, Finding
from rag.engines.protocol import ClaimChecker
from state.answer import NO_CALLS, Citation, NodeUsage


@dataclass(frozen=True, slots=True)
class Verification:
    checked: Checked
    usage: NodeUsage = field(default_factory=lambda: NO_CALLS)
    warnings: tuple[str, ...] = ()


def verify(checked: Checked, checker: ClaimChecker) -> Verification:
    """`checked` with the model's word on what is in doubt; nothing is sent where nothing is.

    Raises:
        ModelError, BudgetSpent: the call failed, or was not allowed.

    """
    doubtful = [
        place
        for place, finding in enumerate(checked.findings)
        if finding.verdict == "unverified" and finding.citations
    ]
    if not doubtful:
        return Verification(checked)
    said = checker.verify(
        [checked.parts[place]["text"].strip() for place in doubtful],
        [_quotes(checked.findings[place]) for place in doubtful],
    )
    findings = list(checked.findings)
    for place, supported in zip(doubtful, said.supported, strict=True):
        if supported is not None:
            findings[place] = _heard(findings[place], supported=supported)
    return Verification(Checked(checked.parts, findings), said.usage, said.warnings)


def _quotes(finding: Finding) -> str:
    return " … ".join(dict.fromkeys(citation["passage"] for citation in finding.citations))


def _heard(finding: Finding, *, supported: bool) -> Finding:
    if not supported:
        return replace(finding, verdict="contradicted", reason="the model denied it on the source")
    cited: tuple[Citation, ...] = tuple({**c, "support": "supported"} for c in finding.citations)
    return Finding("verified", "the model confirmed it on the source", cited)
