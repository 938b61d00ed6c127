"""Planning, reading, composing and reflecting with a model: structured calls, each built from
nothing but its own prompt and its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, Field, ValidationError, create_model

from rag.budget import Budget, BudgetSpent
from rag.engines.openai import output_limits
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.replies import fields, plain_text
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.protocol import Outcome
from rag.index.protocol import CollectionReader
from rag.research.contents import table_of_contents
from rag.research.evidence import Evidence
from rag.research.numbering import ReadFiles
from rag.research.research_prompts import (
    Messages,
    compose_messages,
    plan_messages,
    reflection_messages,
    search_messages,
)
from rag.research.researcher import (
    DraftSubtask,
    Found,
    Planned,
    Reflected,
    UnusableReplyError,
    View,
)
from rag.research.roles import WRITER, Role
from rag.text.prose import one_line
from state.answer import Citation
from state.research_state import Finding, Subtask

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 2
"""How often a reply that cannot be read is asked for."""
READ_TOKENS, REREAD_TOKENS = 6_000, 3_000
"""Of documents that a searcher is given at first, and for what it then still looks for."""
MOST_LEADS = 6
ANSWER_WORDS = 150
SECOND_LOOK = "what is open is searched once more, in other words"


class PlannedSubtask(BaseModel):
    """One subtask of the plan."""

    role: str
    heading: str = ""
    instruction: str
    queries: list[str] = Field(default_factory=list)
    expected_artifact: str = ""
    read_files: list[str] = Field(default_factory=list)


class Plan(BaseModel):
    """The ordered subtasks of this round."""

    subtasks: list[PlannedSubtask]


@cache
def plan_schema(roles: tuple[str, ...]) -> type[Plan]:
    """A plan for a pool: the model is shown which roles there are. A reply that names another
    is still read, and that subtask left out, rather than the whole plan refused.
    """
    role = Field(description="the role that does it", json_schema_extra={"enum": list(roles)})
    subtask: Any = create_model("Subtask", __base__=PlannedSubtask, role=(str, role))
    return create_model("Plan", __base__=Plan, __doc__=Plan.__doc__, subtasks=(list[subtask], ...))


class Quote(BaseModel):
    """A stretch copied word for word from the document of that number."""

    document: int
    quote: str


class QuotedFinding(BaseModel):
    """What the documents state, and the quotes that state it."""

    text: str
    quotes: list[Quote] = Field(default_factory=list)


class Findings(BaseModel):
    """What a searcher found, what it did not, and what to search for that."""

    artifact_name: str = ""
    findings: list[QuotedFinding]
    not_found: list[str] = Field(default_factory=list)
    queries: list[str] = Field(default_factory=list)


class Part(BaseModel):
    """A sentence or two, and the numbers of all quotes that state it."""

    text: str
    quotes: list[int] = Field(default_factory=list)


class Parts(BaseModel):
    """What a subagent wrote."""

    artifact_name: str = ""
    parts: list[Part]


class Reflection(BaseModel):
    """What happens next, and why."""

    decision: Literal["continue", "replan", "end", "escalate"]
    reason: str
    leads: list[str] = Field(default_factory=list)
    answered: list[int] = Field(default_factory=list)
    question: str = ""


class ModelResearcher:
    """A `Researcher` behind one chat model. Raises ModelError and BudgetSpent."""

    writes = True

    def __init__(self, chat: ChatModel, budget: Budget, reader: CollectionReader) -> None:
        self._chat = chat
        self._budget = budget
        self._reader = reader

    def plan(self, view: View) -> Planned:
        schema = plan_schema(tuple(role.name for role in view.roles if role.name != WRITER))
        contents = table_of_contents(self._reader, [view.question, *view.leads])
        reply, spent = self._structured(plan_messages(view, contents), schema, self._meter())
        drafts = (cast("DraftSubtask", task.model_dump()) for task in reply.subtasks)
        return Planned(tuple(drafts), usage=spent.usage, warnings=spent.warnings)

    def search(self, role: Role, task: Subtask, read: ReadFiles) -> Found:
        """What the task's queries bring is read; what that leaves open is searched once more by
        queries of the searcher's own, so that nothing is missing that one search missed.
        """
        evidence, meter = Evidence(self._reader), self._meter()
        quoted = _Quoted(evidence)
        queries = list(task["queries"])
        given = evidence.find(queries, task["documents"], READ_TOKENS)
        messages = search_messages(role, task, read, given)
        reply, spent = self._structured(messages, Findings, meter)
        quoted.add(reply.findings)
        missing = _named(reply.not_found) or ([] if quoted.findings else [task["heading"]])
        cut = False
        if missing:
            again = [query for query in _named(reply.queries) if query not in queries] or missing
            queries += again[:4]
            given = evidence.find(again[:4], (), REREAD_TOKENS)
            told = [finding["text"] for finding in quoted.findings]
            try:
                if given:
                    messages = search_messages(role, task, read, given, told, missing)
                    reply, spent = self._structured(messages, Findings, meter)
                    found = quoted.add(reply.findings)
                    missing = _named(reply.not_found) or ([] if found else missing)
            except BudgetSpent:
                cut = True
            except UnusableReplyError as error:
                spent = error.spent
        return Found(
            quoted.findings,
            quoted.citations,
            missing,
            queries,
            cut,
            usage=meter.usage,
            warnings=spent.warnings,
        )

    def compose(self, role: Role, task: Subtask, read: ReadFiles) -> Found:
        messages = compose_messages(role, task, read)
        reply, spent = self._structured(messages, Parts, self._meter())
        known = {citation["marker"] for citation in read.citations}
        findings: list[Finding] = []
        words = 0
        for part in reply.parts:
            markers = [number for number in dict.fromkeys(part.quotes) if number in known]
            text = one_line(part.text)
            words += len(text.split())
            if not text or len(markers) < role.rests_on - 1:
                continue
            if role.name == WRITER and words > ANSWER_WORDS and findings:
                break
            findings.append({"text": text, "markers": markers})
        return Found(findings, read.citations, usage=spent.usage, warnings=spent.warnings)

    def reflect(self, view: View) -> Reflected:
        """Nothing is left open at a first look: an end is put off until it was searched again."""
        reply, spent = self._structured(reflection_messages(view), Reflection, self._meter())
        closed = tuple(part for n, part in enumerate(view.open, 1) if n in reply.answered)
        left = tuple(part for part in view.open if part not in closed)
        decision, reason, leads = reply.decision, one_line(reply.reason), _named(reply.leads)
        if decision == "end" and left and view.round == 0 and not view.last:
            decision, reason, leads = "replan", SECOND_LOOK, list(left)
        return Reflected(
            decision,
            reason,
            tuple(leads[:MOST_LEADS]),
            closed,
            one_line(reply.question) or None,
            usage=spent.usage,
            warnings=spent.warnings,
        )

    def _meter(self) -> UsageMeter:
        return UsageMeter(self._budget)

    def _structured(
        self, messages: Messages, schema: type[T], meter: UsageMeter
    ) -> tuple[T, Outcome]:
        """The reply read by `schema`, asked for once more when it cannot be read; and what the
        meter's calls took and warned of.
        """
        spent = Outcome()
        for _ in range(ATTEMPTS):
            message = self._chat.ask(messages, meter, output_limits.REPORT, schema)
            spent = Outcome(usage=meter.usage, warnings=tuple(meter.warnings))
            found: dict[str, Any] = fields(message)
            written = plain_text(message)
            if not found and schema is Parts and written[:1] not in ("", "{", "["):
                found = {"parts": [{"text": written}]}
            try:
                return schema.model_validate(found), spent
            except ValidationError:
                continue
        raise UnusableReplyError(
            f"{self._chat.who} gave no usable {schema.__name__} in {ATTEMPTS} attempts.", spent
        )


class _Quoted:
    """Findings with the citations of their located quotes, each place numbered once."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.findings: list[Finding] = []
        self.citations: list[Citation] = []

    def add(self, findings: Iterable[QuotedFinding]) -> bool:
        """Whether there was any."""
        before = len(self.findings)
        for finding in findings:
            located = (self._evidence.locate(q.document, q.quote) for q in finding.quotes)
            markers = [self._number(citation) for citation in located if citation is not None]
            if one_line(finding.text):
                text = one_line(finding.text)
                self.findings.append({"text": text, "markers": list(dict.fromkeys(markers))})
        return len(self.findings) > before

    def _number(self, citation: Citation) -> int:
        for known in self.citations:
            if all(known[key] == citation[key] for key in ("source", "start_char", "end_char")):
                return known["marker"]
        self.citations.append({**citation, "marker": len(self.citations) + 1})
        return len(self.citations)


def _named(parts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(one_line, parts))))
