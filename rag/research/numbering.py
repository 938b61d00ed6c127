"""Quotes numbered once for all that is told together: each place has one number, however many
findings rest on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from state.answer import Citation
from state.research_state import Artifact, Finding

NO_QUOTE = "(no quote found)"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """An artifact as a subagent reads it: its markers are the numbers of the quotes beside it."""

    name: str
    heading: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """What a subagent reads: whole artifacts, and the quotes they rest on, numbered from 1."""

    files: tuple[ReadFile, ...]
    citations: tuple[Citation, ...]


class Numbering:
    """Numbers places in order of first mention; a place that lies within another of the same
    document takes its number.
    """

    def __init__(self) -> None:
        self.citations: list[Citation] = []

    def renumbered(
        self, findings: Iterable[Finding], citations: Iterable[Citation]
    ) -> list[Finding]:
        """The findings with the numbers of this numbering."""
        own = {citation["marker"]: citation for citation in citations}
        return [
            {
                **finding,
                "markers": list(
                    dict.fromkeys(self._number(own[m]) for m in finding["markers"] if m in own)
                ),
            }
            for finding in findings
        ]

    def _number(self, citation: Citation) -> int:
        for place, known in enumerate(self.citations):
            if _within(citation, known):
                return known["marker"]
            if _within(known, citation):
                self.citations[place] = {**citation, "marker": known["marker"]}
                return known["marker"]
        self.citations.append({**citation, "marker": len(self.citations) + 1})
        return len(self.citations)


def read_files_of(artifacts: Sequence[Artifact]) -> ReadFiles:
    """Those that found something, each finding and each quote once."""
    numbering = Numbering()
    files = tuple(
        ReadFile(
            artifact["name"],
            artifact["heading"],
            tuple(numbering.renumbered(artifact["findings"], artifact["citations"])),
        )
        for artifact in artifacts
        if artifact["findings"]
    )
    return ReadFiles(files, tuple(numbering.citations))


def written(findings: Sequence[Finding]) -> str:
    """Findings as Markdown, each behind its text with its markers; several short ones as a list."""
    told = [_marked(finding) for finding in findings]
    if len(told) > 1 and not any("\n" in text for text in told):
        return "\n".join(f"- {text}" for text in told)
    return "\n\n".join(told)


def _marked(finding: Finding) -> str:
    """The text, and what it rests on; a mark behind a fence or a table stands on its own line."""
    text = finding["text"].strip()
    markers = "".join(f"[{marker}]" for marker in finding["markers"]) or NO_QUOTE
    last = text.rpartition("\n")[2].lstrip()
    if last.startswith(("```", "~~~", "|")):
        return f"{text}\n\n{markers}"
    return f"{text} {markers}"


def _within(one: Citation, other: Citation) -> bool:
    return (
        one["source"] == other["source"]
        and other["start_char"] <= one["start_char"]
        and one["end_char"] <= other["end_char"]
    )
