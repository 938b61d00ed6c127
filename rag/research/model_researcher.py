"""Planning, reading, composing and reflecting with a model: structured calls, each built from
nothing but its own prompt and its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from rag.budget import Budget, BudgetSpent
from rag.citations.check import check_draft
from rag.context import build_context, interleave
from rag.engines.openai.answer_reply import Part, parse_parts
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import Messages
from rag.index.reader import CollectionReader
from rag.research.findings import ReadFiles
from rag.research.planning import MOST_QUERIES, distinct
from rag.research.research_prompts import (
    compose_messages,
    plan_messages,
    reflection_messages,
    search_messages,
    table_of_contents,
)
from rag.research.researcher import DraftSubtask, Planned, Reflected, Researched, RunView
from rag.research.roles import ROLES, WRITER
from rag.text.prose import one_line
from state.answer import AnswerPart
from state.passages import ContextDocument, RetrievedChunk
from state.research_state import Finding, Subtask

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 2
"""How often a reply that cannot be read is asked for."""
SEARCHED = 20
"""Chunks that each query brings."""
READ_TOKENS, REREAD_TOKENS = 6_000, 3_000
"""Of documents that a searcher is given at first, and for what it then still looks for."""
REPLY_TOKENS = 3_000
MOST_LEADS = 6
ANSWER_WORDS = 150
SECOND_LOOK = "what is open is searched once more, in other words"
UNREADABLE = "the reflection could not be read"


def _few(most: int) -> Any:
    """What a small model would go on listing for ever; a longer list is read all the same."""
    return Field([], json_schema_extra={"maxItems": most})


class Plan(BaseModel):
    """The ordered subtasks of this round."""

    subtasks: list[DraftSubtask] = Field(json_schema_extra={"maxItems": 6})


class Findings(BaseModel):
    """What a searcher found, what it did not, and what to search for that."""

    artifact_name: str = ""
    findings: list[Part] = Field(json_schema_extra={"maxItems": 12})
    not_found: list[str] = _few(6)
    queries: list[str] = _few(4)


class WrittenPart(BaseModel):
    """A sentence or two, and the numbers of all quotes that state it."""

    text: str
    quotes: list[int] = _few(12)


class Parts(BaseModel):
    """What a subagent wrote."""

    artifact_name: str = ""
    parts: list[WrittenPart] = Field(json_schema_extra={"maxItems": 12})


class Reflection(BaseModel):
    """What happens next, and why."""

    decision: Literal["continue", "replan", "end", "escalate"]
    reason: str
    leads: list[str] = _few(MOST_LEADS)
    answered: list[int] = _few(12)
    question: str = ""


class ModelResearcher:
    """A `Researcher` behind one chat model. Raises ModelError and BudgetSpent."""

    writes = True

    def __init__(self, chat: ChatModel, budget: Budget, reader: CollectionReader) -> None:
        self._chat = chat
        self._budget = budget
        self._reader = reader

    @property
    def one_by_one(self) -> bool:
        """A server that reads slowly on this machine's own processor."""
        return self._chat.server.answers_once

    def plan(self, view: RunView) -> Planned:
        warnings: list[str] = []
        contents = table_of_contents(self._reader, [view.state["question"], *view.state["leads"]])
        plan = self._asked(plan_messages(view, contents), Plan, warnings) or Plan(subtasks=[])
        return Planned(subtasks=plan.subtasks, warnings=warnings)

    def work(self, task: Subtask, read: ReadFiles) -> Researched:
        if ROLES[task["role"]].searches:
            return self._searched(task, read)
        return self._composed(task, read) if read.citations else Researched()

    def _searched(self, task: Subtask, read: ReadFiles) -> Researched:
        """What the task's queries bring is read; what that leaves open is searched once more by
        queries of the searcher's own, so that nothing is missing that one search missed.
        """
        queries, warnings = task["queries"], list[str]()
        named = [self._reader.document_chunks(name, 1) for name in task["documents"]]
        given = self._find(queries, READ_TOKENS, named=[each[0] for each in named if each])
        reply = self._asked(search_messages(task, read, given), Findings, warnings)
        found = _parts(reply)
        missing = distinct(reply.not_found if reply else ()) or ([] if found else [task["heading"]])
        if missing and reply:
            again = [query for query in distinct(reply.queries) if query not in queries] or missing
            queries = [*queries, *again[:MOST_QUERIES]]
            more = self._find(again[:MOST_QUERIES], REREAD_TOKENS, given)
            told = [part["text"] for part in found]
            messages = search_messages(task, read, more, told, missing)
            with suppress(BudgetSpent):  # what was found is kept; the next call ends the run
                reply = self._asked(messages, Findings, warnings) if more else None
                if reply:
                    found += _parts(reply)
                    missing = distinct(reply.not_found) or ([] if reply.findings else missing)
            given = [*given, *more]
        checked = check_draft(found, given, task["instruction"])
        warnings += [f"Left out, for its quote says otherwise: {text}" for text in checked.dropped]
        findings: list[Finding] = [
            {"text": one_line(claim["text"]), "markers": claim["citations"]}
            for claim in checked.claims
            if claim["verdict"] != "contradicted"
        ]
        return Researched(findings, checked.citations, missing, queries=queries, warnings=warnings)

    def _find(
        self,
        queries: Sequence[str],
        tokens: int,
        given: Sequence[ContextDocument] = (),
        named: Sequence[RetrievedChunk] = (),
    ) -> list[ContextDocument]:
        """What the queries find that was not `given`, numbered on from there: the `named` and what
        stands in their documents first, then the best of each query, until `tokens` are full, or
        what the server takes.
        """
        known = {excerpt["chunk_id"] for each in given for excerpt in each["excerpts"]}
        first = {chunk["source"] for chunk in named}
        found = interleave([self._reader.search(query, SEARCHED) for query in queries])
        found.sort(key=lambda chunk: chunk["source"] not in first)
        ranked = [
            chunk for chunk in interleave([[*named, *found]]) if chunk["chunk_id"] not in known
        ]
        room = self._chat.server.document_tokens
        context = build_context(ranked, self._reader, tokens if room is None else min(tokens, room))
        return [{**each, "number": each["number"] + len(given)} for each in context]

    def _composed(self, task: Subtask, read: ReadFiles) -> Researched:
        warnings: list[str] = []
        reply = self._asked(compose_messages(task, read), Parts, warnings)
        known = {citation["marker"] for citation in read.citations}
        findings: list[Finding] = []
        words = 0
        for part in reply.parts if reply else ():
            text = one_line(part.text)
            words += len(text.split())
            if task["role"] == WRITER and words > ANSWER_WORDS and findings:
                break
            if text:
                markers = [number for number in dict.fromkeys(part.quotes) if number in known]
                findings.append({"text": text, "markers": markers})
        return Researched(findings, read.citations, warnings=warnings)

    def reflect(self, view: RunView) -> Reflected:
        """Nothing is left open at a first look: an end is put off until it was searched again."""
        warnings: list[str] = []
        reply = self._asked(reflection_messages(view), Reflection, warnings)
        if reply is None:
            return Reflected("end", UNREADABLE, warnings=warnings)
        closed = tuple(part for n, part in enumerate(view.open, 1) if n in reply.answered)
        left = [part for part in view.open if part not in closed]
        decision, reason, leads = reply.decision, one_line(reply.reason), distinct(reply.leads)
        if decision == "end" and left and not (view.state["rounds"] or view.last):
            decision, reason, leads = "replan", SECOND_LOOK, left
        question = one_line(reply.question) or None
        leads = leads[:MOST_LEADS]
        return Reflected(decision, reason, leads, closed, question, warnings=warnings)

    def _asked(self, messages: Messages, shape: type[T], warnings: list[str]) -> T | None:
        """The reply, asked for once more when it cannot be read; None where it never could. It is
        streamed, which a slow server has more time for.
        """
        for _ in range(ATTEMPTS):
            reply = self._chat.ask(messages, self._budget, REPLY_TOKENS, shape, _unseen)
            with suppress(ValidationError):
                return shape.model_validate(reply.fields())
        who = self._chat.label
        warnings.append(f"{who} gave no usable {shape.__name__} in {ATTEMPTS} attempts.")
        return None


def _unseen(_piece: str) -> None:
    """Findings are shown when they are whole."""


def _parts(reply: Findings | None) -> list[AnswerPart]:
    return parse_parts([each.model_dump() for each in reply.findings]) if reply else []
