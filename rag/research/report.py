"""The report: the answer first, a section a subtask, located citations shared by all.

It is made of journalled artifacts alone, so nothing is quoted from a subagent that did not
return, and each place that is cited has one number however many sections cite it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypedDict

from rag.budget import BudgetSpent
from rag.research.journal import Start
from rag.research.read_files import Place, markers_in, place_of, renumbered
from rag.text.prose import one_line
from state.answer import Citation, Usage
from state.research_state import Artifact
from state.usage import add_usages
from state.written_place import written_place

REPORT_SCHEMA = "crag.research/1"

_NOTHING = "The documents do not hold an answer."
_PARTS_ONLY = "The documents hold no answer to the whole question; what they hold on parts of it:"
_SENTENCE_END = re.compile(r"(?<=\])[.!?]?\s+|\n+")

ReportStatus = Literal["answered", "partial", "abstained", "waiting"]


class Section(TypedDict):
    role: str
    title: str
    text: str


class Nearest(TypedDict):
    """What lay nearest to a question that nothing answers; `citations` are numbered from 1."""

    question: str
    citations: list[Citation]


class Report(TypedDict):
    """`report` is the whole Markdown; the other fields are what it was made of. `repeated` are
    the subtasks that only found what others had found; `nearest` is of those `not_found` that
    anything is near to. A budget that ended leaves the run `resumable`, and so does a question to
    the person, `escalation`.
    """

    schema: str
    run_id: str
    status: ReportStatus
    question: str
    standalone_question: str
    answer: str
    sections: list[Section]
    repeated: list[str]
    citations: list[Citation]
    not_found: list[str]
    nearest: list[Nearest]
    contradictions: list[str]
    escalation: str | None
    resumable: bool
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
        self._numbers: dict[Place, int] = {}

    def renumbered(self, artifact: Artifact) -> str:
        """The artifact's text with the report's numbers; what it cites is counted from here."""
        cited = {citation["marker"]: citation for citation in artifact["citations"]}
        found = markers_in(artifact["content"], artifact["citations"])
        used = dict.fromkeys(int(marker[1]) for marker in found)
        for citation in (cited[marker] for marker in used if marker in cited):
            place = place_of(citation)
            if place not in self._numbers:
                self._numbers[place] = len(self._numbers) + 1
                self.citations.append({**citation, "marker": self._numbers[place]})
        return renumbered(artifact, self._numbers)


def make_report(
    run_id: str,
    start: Start,
    artifacts: Sequence[Artifact],
    *,
    rounds: int,
    planning: Usage,
    seconds: float,
    escalation: str | None = None,
    ended: BudgetSpent | None = None,
    warnings: Sequence[str] = (),
) -> Report:
    """The report of what was finished, whole or partial."""
    numbering = _Numbering()
    done = [artifact for artifact in artifacts if artifact["content"]]
    first = _leading(artifacts)
    answer = numbering.renumbered(first) if first is not None else ""
    sections, repeated = _sections(
        [a for a in done if a is not first], start["question"], answer, numbering
    )
    contradictions = [
        line
        for artifact in done
        if artifact["role"] == "skeptic"
        for line in numbering.renumbered(artifact).splitlines()
        if line.strip()
    ]
    # Of a question that its parts answered, only the parts were looked for in vain.
    missing = dict.fromkeys(m for artifact in artifacts for m in artifact["missing"])
    not_found = [asked for asked in missing if not (answer and asked == start["question"])]
    report: Report = {
        "schema": REPORT_SCHEMA,
        "run_id": run_id,
        "status": _status(answer, bool(done), escalation, ended),
        "question": start["asked"],
        "standalone_question": start["question"],
        "answer": answer,
        "sections": sections,
        "repeated": repeated,
        "citations": numbering.citations,
        "not_found": not_found,
        "nearest": _nearest(artifacts, not_found),
        "contradictions": contradictions,
        "escalation": escalation,
        "resumable": ended is not None or escalation is not None,
        "rounds": rounds,
        "subtasks": len(artifacts),
        "usage": add_usages([planning, *(artifact["usage"] for artifact in artifacts)]),
        "seconds": round(seconds, 3),
        "warnings": [
            *warnings,
            *([f"The budget ended the run early: {ended.message}"] if ended is not None else []),
        ],
        "report": "",
    }
    report["report"] = "\n".join(_markdown(report)).strip() + "\n"
    return report


def _sections(
    artifacts: Sequence[Artifact], question: str, answer: str, numbering: _Numbering
) -> tuple[list[Section], list[str]]:
    """One a subtask, and the titles of those that say nothing that another does not. An
    answer written before more was found is superseded; contradictions are told apart.
    """
    sections: list[Section] = []
    told: list[set[str]] = []
    led = _sentences(answer)
    repeated: dict[str, None] = {}
    for artifact in sorted(artifacts, key=lambda a: a["instruction"] == question):
        if artifact["role"] in ("writer", "skeptic"):
            continue
        text, title = numbering.renumbered(artifact), artifact["instruction"]
        sentences = _sentences(text)
        searched = artifact["role"] == "searcher"
        if searched and title == question and sentences <= led.union(*told):
            continue
        if any(sentences <= others for others in told):
            repeated[title] = None
            continue
        told.append(sentences)
        title = title if searched else f"{artifact['role'].title()}: {title}"
        sections.append({"role": artifact["role"], "title": title, "text": text})
    return sections, list(repeated)


def _nearest(artifacts: Sequence[Artifact], not_found: Sequence[str]) -> list[Nearest]:
    near = {
        asked: nearest
        for artifact in artifacts
        if (nearest := artifact.get("nearest"))
        for asked in artifact["missing"]
    }
    return [{"question": q, "citations": near[q]} for q in not_found if q in near]


def _sentences(text: str) -> set[str]:
    return {sentence.strip(" -.") for sentence in _SENTENCE_END.split(text)} - {""}


def _status(
    answer: str, found: bool, escalation: str | None, ended: BudgetSpent | None
) -> ReportStatus:
    if escalation is not None:
        return "waiting"
    if not answer:
        return "partial" if found else "abstained"
    return "answered" if ended is None else "partial"


def _leading(artifacts: Sequence[Artifact]) -> Artifact | None:
    """The writer's last artifact, else the first that found something. A writer who had
    nothing to say leaves the question unanswered: no part stands in for the whole.
    """
    written = [artifact for artifact in artifacts if artifact["role"] == "writer"]
    if written:
        return written[-1] if written[-1]["content"] else None
    return next((artifact for artifact in artifacts if artifact["content"]), None)


def _markdown(report: Report) -> Iterator[str]:
    yield f"# {one_line(report['question'])}"
    yield ""
    yield report["answer"] or (_PARTS_ONLY if report["sections"] else _NOTHING)
    for section in report["sections"]:
        if section["text"] not in report["answer"]:  # else the writer quoted it whole
            yield from _under(section["title"], [section["text"]])
    yield from _under("Contradictions", map(_item, report["contradictions"]))
    yield from _under("What could not be found", map(_item, _missed(report)))
    yield from _under("Asked too, and told above", map(_item, report["repeated"]))
    yield from _under("Sources", map(_source, report["citations"]))
    yield ""
    yield _cost(report)


def _under(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Nothing, without lines."""
    held = list(lines)
    if held:
        yield from ("", f"## {one_line(title)}", "", *held)


def _item(text: str) -> str:
    return f"- {one_line(text)}"


def _missed(report: Report) -> Iterator[str]:
    near = {nearest["question"]: nearest["citations"] for nearest in report["nearest"]}
    for asked in report["not_found"]:
        places = ", ".join(dict.fromkeys(map(_place, near.get(asked, ()))))
        yield f"{asked} Nearest: {places}" if places else asked


def _source(citation: Citation) -> str:
    return f"{citation['marker']}. {_place(citation)}: “{one_line(citation['quote'])}”"


def _place(citation: Citation) -> str:
    source, page = citation["source"], citation["page"]
    return written_place(source, page, citation["start_line"], citation["end_line"])


def _cost(report: Report) -> str:
    usage = report["usage"]
    dollars = "" if not usage["cost_usd"] else f", ${usage['cost_usd']:.4f}"
    return (
        f"_{report['subtasks']} subtasks in {report['rounds']} rounds; "
        f"{usage['llm_calls']} model calls, {usage['input_tokens']} tokens in, "
        f"{usage['output_tokens']} out{dollars}._"
    )
