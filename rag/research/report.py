"""The report: the answer, sections under short headings, what was not found, and the sources.

It is made of journalled artifacts alone, so nothing is quoted from a subagent that did not return,
and each cited place has one number however many sections cite it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypedDict

from rag.budget import BudgetSpent
from rag.research.journal import ResearchRun
from rag.research.researcher import WRITER, by_heading, read_files_of, render_findings
from rag.research.run_view import RunView
from rag.text.prose import as_prose, one_line
from state.answer import Citation, Usage, add_usages
from state.research_state import Artifact, ResearchState
from state.wording import shorten, written_place

REPORT_SCHEMA = "crag.research/1"
LONGEST_QUOTE = 200
LONGEST_TITLE, LONGEST_ASKED = 120, 2_000
"""Characters of the title; of the question below a title that is cut, and of what was not found."""
_NOTHING = "No answer was found in the documents."

ReportStatus = Literal["answered", "partial", "abstained", "waiting"]


class Section(TypedDict):
    heading: str
    text: str


class Report(TypedDict):
    """`report` is the whole Markdown; the other fields are what it was made of. `answer` is written
    by a model: it is empty without one, and while the run is not at its end. A run is `resumable`
    if a budget ended it early, or if it waits for the person's answer to `escalation`.
    """

    schema: str
    run_id: str
    status: ReportStatus
    question: str
    standalone_question: str
    answer: str
    sections: list[Section]
    citations: list[Citation]
    not_found: list[str]
    escalation: str | None
    resumable: bool
    rounds: int
    subtasks: int
    usage: Usage
    seconds: float
    warnings: list[str]
    report: str


def make_report(
    run: ResearchRun,
    state: ResearchState,
    artifacts: Sequence[Artifact],
    *,
    seconds: float,
    ended: BudgetSpent | None = None,
) -> Report:
    """The report of what was finished; a run that a budget `ended` asks nothing of the person."""
    told = read_files_of(sorted(artifacts, key=lambda artifact: artifact["role"] != WRITER))
    answers = (artifact["findings"] for artifact in told.files if artifact["role"] == WRITER)
    answer = " ".join(render_findings([finding]) for findings in answers for finding in findings)
    found = by_heading(artifact for artifact in told.files if artifact["role"] != WRITER)
    sections: list[Section] = [
        {"heading": heading, "text": render_findings(each)} for heading, each in found.items()
    ]
    not_found = list(RunView(state, artifacts).open)
    escalation = state["escalation"] if ended is None else None
    waits = ended is not None or escalation is not None
    status: ReportStatus = "abstained"
    if escalation is not None:
        status = "waiting"
    elif answer or sections:
        unproved = any(not found["markers"] for file in told.files for found in file["findings"])
        status = "partial" if waits or not_found or unproved else "answered"
    warnings = [*state["warnings"], *(line for each in artifacts for line in each["warnings"])]
    if ended is not None:
        warnings.append(f"The budget ended the run early: {ended.message}")
    report: Report = {
        "schema": REPORT_SCHEMA,
        "run_id": run["id"],
        "status": status,
        "question": run["asked"],
        "standalone_question": state["question"],
        "answer": answer,
        "sections": sections,
        "citations": list(told.citations),
        "not_found": not_found,
        "escalation": escalation,
        "resumable": waits,
        "rounds": state["plans"],
        "subtasks": len(artifacts),
        "usage": add_usages([state["usage"], *(artifact["usage"] for artifact in artifacts)]),
        "seconds": round(seconds, 3),
        "warnings": [*dict.fromkeys(warnings)],
        "report": "",
    }
    report["report"] = "\n".join(_markdown(report, artifacts)).strip() + "\n"
    return report


def _markdown(report: Report, artifacts: Sequence[Artifact]) -> Iterator[str]:
    asked = shorten(one_line(report["question"]), LONGEST_ASKED)
    title = shorten(asked, LONGEST_TITLE)
    yield f"# {title}"
    if title != asked:
        yield from ("", f"> {asked}")
    if report["answer"] or not report["sections"]:
        yield from ("", report["answer"] or _NOTHING)
    nearest = {artifact["instruction"]: artifact["nearest"] for artifact in artifacts}
    missed: list[str] = []
    for part in report["not_found"]:
        missed.append(f"- {shorten(part, LONGEST_ASKED)}")
        missed += (f"  - nearest: {_place(citation)}" for citation in nearest.get(part, ()))
    yield from _under("Not found in the documents", missed)
    for section in report["sections"]:
        yield from _under(section["heading"], [section["text"]])
    sources = (f"{c['marker']}. {_place(c)}" for c in report["citations"])
    yield from _under("Sources", sources)


def _under(title: str, lines: Iterable[str]) -> Iterator[str]:
    """The lines below a heading, or nothing if there are none."""
    held = list(lines)
    if held:
        yield from ("", f"## {one_line(title)}", "", *held)


def _place(citation: Citation) -> str:
    quote = shorten(as_prose(citation["quote"]), LONGEST_QUOTE)
    return f"{one_line(written_place(citation))}: “{quote}”"
