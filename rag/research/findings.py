"""Findings and their citations, renumbered so that each cited place has one number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.citations.check import NO_QUOTE, with_markers
from state.answer import Citation
from state.research_state import Artifact, Finding


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """Whole artifacts and the citations of their findings, numbered from 1 by first mention."""

    files: Sequence[Artifact] = ()
    citations: Sequence[Citation] = ()


def read_files_of(artifacts: Sequence[Artifact]) -> ReadFiles:
    """The artifacts that have findings, with their citations renumbered together."""
    places: dict[tuple[str, int, int], Citation] = {}

    def number(citation: Citation) -> int:
        place = citation["source"], citation["start_char"], citation["end_char"]
        new: Citation = {**citation, "marker": len(places) + 1}
        return places.setdefault(place, new)["marker"]

    files: list[Artifact] = []
    for artifact in artifacts:
        own = {citation["marker"]: citation for citation in artifact["citations"]}
        findings: list[Finding] = [
            {
                "text": finding["text"],
                "markers": list(dict.fromkeys(number(own[m]) for m in finding["markers"])),
            }
            for finding in artifact["findings"]
        ]
        if findings:
            files.append({**artifact, "findings": findings, "content": render_findings(findings)})
    return ReadFiles(files, list(places.values()))


def render_findings(findings: Sequence[Finding]) -> str:
    """Findings as Markdown, each with its markers; several short ones as a list."""
    texts = [with_markers(each["text"], markers_of(each), verbatim=True) for each in findings]
    if len(texts) > 1 and not any("\n" in text for text in texts):
        return "\n".join(f"- {text}" for text in texts)
    return "\n\n".join(texts)


def markers_of(finding: Finding) -> str:
    return "".join(f"[{marker}]" for marker in finding["markers"]) or NO_QUOTE
