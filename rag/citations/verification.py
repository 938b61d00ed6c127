"""Parts that code left in doubt, shown to a model with what they cite (`--verify model`).

One call for all of them. What the model finds supported is verified, what it denies is left out,
and a part it gave no verdict on stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.citations.check import Checked, Finding
from state.answer import Citation


def in_doubt(checked: Checked) -> dict[int, tuple[str, str]]:
    """The text and the passages of each part that is cited and not verified, by its place."""
    return {
        place: (
            checked.parts[place]["text"].strip(),
            " … ".join(dict.fromkeys(citation["passage"] for citation in finding.citations)),
        )
        for place, finding in enumerate(checked.findings)
        if finding.verdict == "unverified" and finding.citations
    }


def heard(checked: Checked, verdicts: Sequence[bool | None]) -> Checked:
    """With the model's verdicts on what is in doubt, in the same order."""
    said = dict(zip(in_doubt(checked), verdicts, strict=True))
    findings = [_heard(each, said.get(place)) for place, each in enumerate(checked.findings)]
    return Checked(checked.parts, findings)


def _heard(finding: Finding, supported: bool | None) -> Finding:
    if supported is None:
        return finding
    if not supported:
        return replace(finding, verdict="contradicted", reason="the model denied it on the source")
    cited: tuple[Citation, ...] = tuple({**c, "support": "supported"} for c in finding.citations)
    return Finding("verified", "the model confirmed it on the source", cited)
