"""The report: the answer first, a section a subtask, located citations shared by all.

It is made of journalled artifacts alone, so nothing is quoted from a subagent that did not
return, and each place that is cited has one number however many sections cite it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypedDict

from state.answer import Citation, Usage
from state.research_state import Artifact
from state.usage import add_usages

REPORT_SCHEMA = "crag.research/1"

_MARKER = re.compile(r"\[(\d{1,3})\]")

ReportStatus = Literal["answered", "partial", "abstained", "waiting"]


class Section(TypedDict):
    role: str
    title: str
    text: str


class Report(TypedDict):
    """`report` is the whole Markdown; the other fields are what it was made of."""

    schema: str
    run_id: str
    status: ReportStatus
    question: str
    answer: str
    sections: list[Section]
    citations: list[Citation]
    not_found: list[str]
    contradictions: list[str]
    escalation: str | None
    rounds: int
    subtasks: int
    usage: Usage
    seconds: float
    warnings: list[str]
    report: str


class _Numbering:
    """One number for each cited place, in order of first mention."""

    def __init__(self) -> None:
        self.citations: list[Citation] = []
        self._numbers: dict[tuple[str, int, int], int] = {}

    def renumbered(self, artifact: Artifact) -> str:
        own = {c["marker"]: self._number(c) for c in artifact["citations"]}
        return _MARKER.sub(lambda m: _shown(own.get(int(m.group(1)))), artifact["content"])

    def _number(self, citation: Citation) -> int:
        place = (citation["source"], citation["start_char"], citation["end_char"])
        if place not in self._numbers:
            self._numbers[place] = len(self._numbers) + 1
            self.citations.append({**citation, "marker": self._numbers[place]})
        return self._numbers[place]


def _shown(number: int | None) -> str:
    return "" if number is None else f"[{number}]"


def make_report(
    run_id: str,
    question: str,
    artifacts: Sequence[Artifact],
    *,
    rounds: int,
    planning: Usage,
    seconds: float,
    escalation: str | None = None,
    warnings: Sequence[str] = (),
) -> Report:
    """The report of what was finished, whole or partial."""
    numbering = _Numbering()
    done = [artifact for artifact in artifacts if artifact["status"] == "done"]
    first = _leading(done)
    answer = numbering.renumbered(first) if first is not None else ""
    sections: list[Section] = [
        {
            "role": artifact["role"],
            "title": artifact["instruction"],
            "text": numbering.renumbered(artifact),
        }
        for artifact in done
        if artifact is not first and artifact["role"] != "skeptic"
    ]
    contradictions = [
        line
        for artifact in done
        if artifact["role"] == "skeptic"
        for line in numbering.renumbered(artifact).splitlines()
        if line.strip()
    ]
    report: Report = {
        "schema": REPORT_SCHEMA,
        "run_id": run_id,
        "status": _status(answer, escalation, warnings),
        "question": question,
        "answer": answer,
        "sections": sections,
        "citations": numbering.citations,
        "not_found": [title for artifact in artifacts for title in artifact["missing"]],
        "contradictions": contradictions,
        "escalation": escalation,
        "rounds": rounds,
        "subtasks": len(artifacts),
        "usage": add_usages([planning, *(artifact["usage"] for artifact in artifacts)]),
        "seconds": round(seconds, 3),
        "warnings": list(warnings),
        "report": "",
    }
    report["report"] = "\n".join(_markdown(report)).strip() + "\n"
    return report


def _status(answer: str, escalation: str | None, warnings: Sequence[str]) -> ReportStatus:
    if escalation is not None:
        return "waiting"
    if not answer:
        return "abstained"
    return "partial" if warnings else "answered"


def _leading(done: Sequence[Artifact]) -> Artifact | None:
    """The writer's artifact, else the first search that found something."""
    written = [artifact for artifact in done if artifact["role"] == "writer"]
    return written[-1] if written else next(iter(done), None)


def _markdown(report: Report) -> Iterator[str]:
    yield f"# {_line(report['question'])}"
    yield ""
    yield report["answer"] or "The documents do not hold an answer."
    for section in report["sections"]:
        yield ""
        yield f"## {_line(section['title'])}"
        yield ""
        yield section["text"]
    for title, lines in (
        ("Contradictions", report["contradictions"]),
        ("What could not be found", report["not_found"]),
    ):
        if lines:
            yield ""
            yield f"## {title}"
            yield ""
            yield from (f"- {_line(line)}" for line in lines)
    if report["citations"]:
        yield ""
        yield "## Sources"
        yield ""
        yield from map(_source, report["citations"])
    yield ""
    yield _cost(report)


def _source(citation: Citation) -> str:
    where = citation["source"]
    if citation["page"] is not None:
        where += f", p. {citation['page']}"
    elif citation["start_line"] is not None:
        where += f":{citation['start_line']}-{citation['end_line']}"
    return f"{citation['marker']}. {where}: “{_line(citation['quote'])}”"


def _cost(report: Report) -> str:
    usage = report["usage"]
    dollars = "" if not usage["cost_usd"] else f", ${usage['cost_usd']:.4f}"
    return (
        f"_{report['subtasks']} subtasks in {report['rounds']} rounds; "
        f"{usage['llm_calls']} model calls, {usage['input_tokens']} tokens in, "
        f"{usage['output_tokens']} out{dollars}._"
    )


def _line(text: str) -> str:
    return " ".join(text.split())
