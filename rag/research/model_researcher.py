"""Planning, reading, composing and reflecting with a model: structured calls, each built from
nothing but its own prompt and its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, Field, ValidationError, create_model

from rag.budget import Budget, BudgetSpent
from rag.citations.check import check
from rag.context import context_of
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import Messages
from rag.engines.openai.usage_meter import UsageMeter
from rag.index.protocol import CollectionReader
from rag.nodes.retrieve import in_turn
from rag.research.contents import table_of_contents
from rag.research.findings import ReadFiles
from rag.research.research_prompts import (
    compose_messages,
    plan_messages,
    reflection_messages,
    search_messages,
)
from rag.research.researcher import DraftSubtask, Found, Planned, Reflected, View
from rag.research.roles import WRITER, Role
from rag.text.prose import one_line
from state.answer import AnswerPart
from state.passages import ContextDocument
from state.research_state import Finding, Subtask

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 2
"""How often a reply that cannot be read is asked for."""
SEARCHED = 20
"""Chunks that each query brings."""
READ_TOKENS, REREAD_TOKENS = 6_000, 3_000
"""Of documents that a searcher is given at first, and for what it then still looks for."""
REPLY_TOKENS = 3_000
MOST_QUERIES = 4
MOST_LEADS = 6
ANSWER_WORDS = 150
SECOND_LOOK = "what is open is searched once more, in other words"
UNREADABLE = "the reflection could not be read"


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
        meter = UsageMeter(self._budget)
        schema = plan_schema(tuple(role.name for role in view.roles if role.name != WRITER))
        asked = [view.state["question"], *view.state["leads"]]
        contents = table_of_contents(self._reader, asked)
        plan = self._asked(plan_messages(view, contents), schema, meter) or Plan(subtasks=[])
        drafts = [cast("DraftSubtask", task.model_dump()) for task in plan.subtasks]
        return Planned(subtasks=drafts, usage=meter.usage, warnings=tuple(meter.warnings))

    def search(self, role: Role, task: Subtask, read: ReadFiles) -> Found:
        """What the task's queries bring is read; what that leaves open is searched once more by
        queries of the searcher's own, so that nothing is missing that one search missed.
        """
        meter, queries = UsageMeter(self._budget), list(task["queries"])
        given = self._find(queries, task["documents"], READ_TOKENS, [])
        reply = self._asked(search_messages(role, task, read, given), Findings, meter)
        found = reply.findings if reply else []
        missing = _named(reply.not_found if reply else ()) or ([] if found else [task["heading"]])
        cut = False
        if missing and reply:
            again = [query for query in _named(reply.queries) if query not in queries] or missing
            queries += again[:MOST_QUERIES]
            more = self._find(again[:MOST_QUERIES], (), REREAD_TOKENS, given)
            given = [*given, *more]
            told = [finding.text for finding in found]
            try:
                if more:
                    messages = search_messages(role, task, read, more, told, missing)
                    reply = self._asked(messages, Findings, meter)
                    found = [*found, *(reply.findings if reply else ())]
                    if reply:
                        missing = _named(reply.not_found) or ([] if reply.findings else missing)
            except BudgetSpent:
                cut = True
        checked = check([_part(each) for each in found], given, task["instruction"])
        findings: list[Finding] = [
            {"text": claim["text"], "markers": claim["citations"]}
            for claim in checked.claims
            if claim["verdict"] != "contradicted" and claim["text"]
        ]
        denied = (f"Left out, for its quote says otherwise: {text}" for text in checked.dropped)
        return Found(
            findings,
            checked.citations,
            missing,
            queries=queries,
            cut=cut,
            usage=meter.usage,
            warnings=(*meter.warnings, *denied),
        )

    def _find(
        self,
        queries: Sequence[str],
        documents: Sequence[str],
        tokens: int,
        given: Sequence[ContextDocument],
    ) -> list[ContextDocument]:
        """What the queries find and was not given before, the best first until `tokens` are full;
        what stands in `documents` first of all.
        """
        known = {excerpt["chunk_id"] for each in given for excerpt in each["excerpts"]}
        named = [self._reader.document_chunks(source, 1) for source in documents]
        found = in_turn([self._reader.search(query, SEARCHED) for query in queries])
        ranked = [chunk for chunk in found if chunk["chunk_id"] not in known]
        ranked.sort(key=lambda chunk: chunk["source"] not in documents)
        ranked = in_turn([[chunk for first in named for chunk in first] + ranked])
        new: list[ContextDocument] = []
        for document in context_of(ranked, self._reader, tokens):
            excerpts = [each for each in document["excerpts"] if each["chunk_id"] not in known]
            if excerpts:
                number = len(given) + len(new) + 1
                new.append({**document, "number": number, "excerpts": excerpts})
        return new

    def compose(self, role: Role, task: Subtask, read: ReadFiles) -> Found:
        meter = UsageMeter(self._budget)
        reply = self._asked(compose_messages(role, task, read), Parts, meter)
        known = {citation["marker"] for citation in read.citations}
        findings: list[Finding] = []
        words = 0
        for part in reply.parts if reply else ():
            markers = [number for number in dict.fromkeys(part.quotes) if number in known]
            text = one_line(part.text)
            words += len(text.split())
            if role.name == WRITER and words > ANSWER_WORDS and findings:
                break
            if text:
                findings.append({"text": text, "markers": markers})
        return Found(findings, read.citations, usage=meter.usage, warnings=tuple(meter.warnings))

    def reflect(self, view: View) -> Reflected:
        """Nothing is left open at a first look: an end is put off until it was searched again."""
        meter = UsageMeter(self._budget)
        reply = self._asked(reflection_messages(view), Reflection, meter)
        if reply is None:
            reply = Reflection(decision="end", reason=UNREADABLE)
        closed = tuple(part for n, part in enumerate(view.open, 1) if n in reply.answered)
        left = [part for part in view.open if part not in closed]
        decision, reason, leads = reply.decision, one_line(reply.reason), _named(reply.leads)
        first = not (view.state["rounds"] or view.last)
        if decision == "end" and left and first and reason != UNREADABLE:
            decision, reason, leads = "replan", SECOND_LOOK, left
        return Reflected(
            decision,
            reason,
            tuple(leads[:MOST_LEADS]),
            closed,
            one_line(reply.question) or None,
            usage=meter.usage,
            warnings=tuple(meter.warnings),
        )

    def _asked(self, messages: Messages, shape: type[T], meter: UsageMeter) -> T | None:
        """The reply, asked for once more when it cannot be read; None where it never could."""
        for _ in range(ATTEMPTS):
            reply = self._chat.ask(messages, meter, REPLY_TOKENS, shape)
            with suppress(ValidationError):
                return shape.model_validate(reply.fields())
        who = self._chat.who
        meter.warnings.append(f"{who} gave no usable {shape.__name__} in {ATTEMPTS} attempts.")
        return None


def _part(finding: QuotedFinding) -> AnswerPart:
    return {
        "before": "",
        "text": one_line(finding.text),
        "quotes": [{"document": quote.document, "quote": quote.quote} for quote in finding.quotes],
        "located": [],
    }


def _named(parts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(one_line, parts))))
