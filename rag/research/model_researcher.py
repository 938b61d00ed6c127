"""Planning, reading, composing and reflecting with a model: structured calls, each built from
nothing but its own prompt and its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field, SkipValidation

from rag.budget import Budget, BudgetSpent
from rag.citations.check import check_draft
from rag.context import build_context, interleave
from rag.engines.openai.answer_reply import Part, parse_parts
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.plain_reply import cited_numbers, without_markers
from rag.engines.openai.prompts import Messages
from rag.index.reader import CollectionReader
from rag.research.local_researcher import drafts_of_parts
from rag.research.planning import MOST_QUERIES, distinct
from rag.research.research_prompts import (
    compose_messages,
    plan_messages,
    reflection_messages,
    search_messages,
    table_of_contents,
)
from rag.research.researcher import SEARCHER, WRITER, DraftSubtask, Line, ReadFiles, Reflected
from rag.research.run_view import RunView
from rag.text.prose import one_line
from state.answer import AnswerPart
from state.graph_state import fresh
from state.passages import ContextDocument
from state.research_state import Finding, Found, Subtask

T = TypeVar("T", bound=BaseModel)

SEARCHED = 20
"""Chunks that each query retrieves."""
PATIENCE_FACTOR = 2.0
"""How much longer than for an answer a slow server may read: who has it research has time."""
REPLY_TOKENS = 3_000
MOST_ANSWER_WORDS = 200
"""Of the answer at the head of a report; the writer is asked for 150."""


def _few(most: int) -> Any:
    """A list field whose schema limits a small model; a longer list is accepted all the same."""
    return Field([], json_schema_extra={"maxItems": most})


class Plan(BaseModel):
    """The ordered subtasks of this round."""

    subtasks: list[DraftSubtask] = Field(json_schema_extra={"maxItems": 6})


class Findings(BaseModel):
    """What a searcher found, what it did not, and what to search for that."""

    # `parse_parts` reads each by itself: one in another shape does not cost the others.
    findings: list[SkipValidation[Part]] = Field(json_schema_extra={"maxItems": 12})
    not_found: list[Line] = _few(6)
    queries: list[Line] = _few(4)


class WrittenPart(BaseModel):
    """A sentence or two, and the numbers of all quotes that state it."""

    text: str
    quotes: list[int] = _few(12)


class Parts(BaseModel):
    """What a subagent wrote."""

    parts: list[WrittenPart] = Field(json_schema_extra={"maxItems": 12})


class Reflection(BaseModel):
    """What happens next, and why."""

    decision: Literal["continue", "replan", "end", "escalate"]
    reason: Line
    leads: list[Line] = _few(6)
    answered: list[int] = _few(12)
    question: Line = ""


class ModelResearcher:
    """A `Researcher` behind one chat model. Raises ModelError and BudgetSpent."""

    writes = True

    def __init__(self, chat: ChatModel, budget: Budget, reader: CollectionReader) -> None:
        self._chat = chat
        self._budget = budget
        self._reader = reader

    @property
    def one_by_one(self) -> bool:
        """Whether the server reads slowly, on this machine's own processor, or was never timed."""
        return self._chat.server.is_slow or self._chat.server.is_untimed

    def plan(self, view: RunView) -> tuple[list[DraftSubtask], list[str]]:
        """The model's plan. Of a server that takes a minute for one, the plan is the question's own
        parts, where it has several.
        """
        if self._chat.server.is_slow and not view.state["plan"]:
            drafts = drafts_of_parts(view.state["question"])
            if len(drafts) > 1:
                return drafts, []
        warnings: list[str] = []
        contents = table_of_contents(self._reader, [view.state["question"], *view.state["leads"]])
        plan = self._ask(plan_messages(view, contents), Plan, warnings) or Plan(subtasks=[])
        return plan.subtasks, warnings

    def work(self, task: Subtask, read: ReadFiles) -> Found:
        if task["role"] == SEARCHER:
            return self._search_and_read(task, read)
        return self._compose(task, read) if read.citations else fresh(Found)

    def _search_and_read(self, task: Subtask, read: ReadFiles) -> Found:
        """Read what the task's instruction and queries retrieve; search again, by the searcher's
        own queries, for what that leaves open, so that one search's miss is not final.
        """
        queries, searched = distinct([task["instruction"], *task["queries"]]), list[str]()
        given, found = list[ContextDocument](), list[AnswerPart]()
        missing, warnings = [task["heading"]], list[str]()
        for tokens in task["read_tokens"]:
            new = self._find(queries, tokens, given, task["read_files"])
            if given and not new:
                break
            searched = distinct([*searched, *queries])
            messages = search_messages(task, read, new, found, missing if given else ())
            try:
                reply = self._ask(messages, Findings, warnings)
            except BudgetSpent:
                if not given:
                    raise
                break  # what was found is kept; the next call ends the run
            given += new
            if reply is None:
                break
            found += parse_parts(reply.findings)
            missing = distinct(reply.not_found) or ([] if reply.findings else missing)
            if not missing:
                break
            own = [query for query in distinct(reply.queries) if query not in searched]
            queries = (own or missing)[:MOST_QUERIES]
        checked = check_draft(found, given, task["instruction"])
        warnings += [f"Left out, for its quote says otherwise: {text}" for text in checked.dropped]
        findings: list[Finding] = [
            {"text": one_line(claim["text"]), "markers": claim["citations"]}
            for claim in checked.claims
            if claim["verdict"] != "contradicted"
        ]
        return fresh(
            Found,
            searched=searched,
            findings=findings,
            citations=checked.citations,
            missing=missing,
            warnings=warnings,
        )

    def _find(
        self,
        queries: Sequence[str],
        tokens: int,
        given: Sequence[ContextDocument],
        named: Sequence[str],
    ) -> list[ContextDocument]:
        """Documents for the queries beyond those `given`, with numbers that go on from there, until
        `tokens` or what the server accepts are full: in turn the best of what each query finds, and
        the best of it in each `named` document, or that document's beginning.
        """
        known = [excerpt for each in given for excerpt in each["excerpts"]]
        found = [self._reader.search(query, SEARCHED) for query in queries]
        of_named = [
            [chunk for chunk in interleave(found) if chunk["source"] == name]
            or self._reader.document_chunks(name, 1)
            for name in named
        ]
        tokens = self._chat.server.document_tokens(tokens, PATIENCE_FACTOR)
        context = build_context(interleave([*found, *of_named]), self._reader, tokens, known)
        return [{**each, "number": each["number"] + len(given)} for each in context]

    def _compose(self, task: Subtask, read: ReadFiles) -> Found:
        warnings: list[str] = []
        reply = self._ask(compose_messages(task, read), Parts, warnings)
        known = {citation["marker"] for citation in read.citations}
        findings: list[Finding] = []
        words = 0
        for part in reply.parts if reply else ():
            text = one_line(without_markers(part.text))
            numbers = dict.fromkeys(part.quotes or cited_numbers(part.text))
            markers = [number for number in numbers if number in known]
            if not (text and markers):  # it rests on no quote that it was shown
                continue
            words += len(text.split())
            if task["role"] == WRITER and words > MOST_ANSWER_WORDS and findings:
                break
            findings.append({"text": text, "markers": markers})
        if reply and reply.parts and not findings:
            warnings.append(f"{self._chat.label} named no quote for what it wrote; it is left out.")
        used = {marker for finding in findings for marker in finding["markers"]}
        cited = [citation for citation in read.citations if citation["marker"] in used]
        return fresh(Found, findings=findings, citations=cited, warnings=warnings)

    def reflect(self, view: RunView) -> Reflected:
        """The model's decision, but an end with open parts is put off until a second search."""
        warnings: list[str] = []
        reply = self._ask(reflection_messages(view), Reflection, warnings)
        if reply is None:
            return Reflected("end", "the reflection could not be read", warnings=warnings)
        closed = tuple(part for n, part in enumerate(view.open, 1) if n in reply.answered)
        left = [part for part in view.open if part not in closed]
        decision, reason, leads = reply.decision, one_line(reply.reason), distinct(reply.leads)
        if decision == "end" and left and not view.state["rounds"]:
            reason = "what is open is searched once more, in other words"
            decision, leads = "replan", left
        return Reflected(decision, reason, leads, closed, reply.question, warnings=warnings)

    def _ask(self, messages: Messages, shape: type[T], warnings: list[str]) -> T | None:
        """The reply in the given shape; None if it cannot be read."""
        reply = self._chat.structured(messages, self._budget, REPLY_TOKENS, shape)
        if reply is None:
            warnings.append(f"{self._chat.label} gave no usable {shape.__name__}.")
        return reply
