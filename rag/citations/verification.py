"""Claims that code could neither prove nor contradict, shown to a model (`--verify model`).

One call for all of them, each with the passage nearest to it. What the model finds supported is
verified, what it denies is left out, and a claim it gave no verdict on stays open.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rag.citations.check import Checked, Finding
from rag.engines.protocol import ClaimChecker
from state.answer import Citation, NodeUsage
from state.usage import NO_CALLS


@dataclass(frozen=True, slots=True)
class Verification:
    checked: Checked
    usage: NodeUsage = field(default_factory=lambda: NO_CALLS)
    warnings: tuple[str, ...] = ()


def verify(checked: Checked, checker: ClaimChecker) -> Verification:
    """`checked` with the model's word on its open claims; nothing is sent where there are none.

    Raises:
        ModelError, BudgetSpent: the call failed, or was not allowed.

    """
    open_ = [
        place
        for place, finding in checked.findings.items()
        if finding.verdict == "unverified" and finding.citations
    ]
    if not open_:
        return Verification(checked)
    said = checker.verify(
        [checked.draft[place]["text"].strip() for place in open_],
        [_quotes(checked.findings[place]) for place in open_],
    )
    findings = dict(checked.findings)
    for place, supported in zip(open_, said.supported, strict=True):
        if supported is not None:
            findings[place] = _heard(findings[place], supported=supported)
    return Verification(Checked(checked.draft, findings), said.usage, said.warnings)


def _quotes(finding: Finding) -> str:
    return " … ".join(dict.fromkeys(citation["passage"] for citation in finding.citations))


def _heard(finding: Finding, *, supported: bool) -> Finding:
    if not supported:
        return replace(finding, verdict="contradicted", reason="the model denied it on the source")
    cited: tuple[Citation, ...] = tuple({**c, "support": "supported"} for c in finding.citations)
    return Finding("verified", "the model confirmed it on the source", cited)
