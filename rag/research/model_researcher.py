"""Planning, composing and reflecting with a model: one structured call each.

Every call's messages are built from nothing but its own prompt and its arguments: no line
of the planner's prompt reaches a subagent, and the planner sees no text of a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, Field, ValidationError, create_model

from rag.budget import Budget
from rag.engines.openai import output_limits
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompt_echo import says_nothing
from rag.engines.openai.prompts import Messages, fenced
from rag.engines.openai.replies import fields, plain_text
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.protocol import Outcome
from rag.research.researcher import (
    Composed,
    DraftSubtask,
    Planned,
    ReadFile,
    Reflected,
    UnusableReplyError,
    View,
)
from rag.research.roles import Role
from rag.text.prose import one_line
from state.passages import Passage
from state.research_state import Artifact, Subtask

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 2
"""How often a reply that cannot be read is asked for."""

MOST_LEADS = 6

PLANNER = (
    "You are the planner of a research run over a person's own documents. You only plan: you "
    "split the question into subtasks and assign each to a role. You never answer the "
    "question and never write a file. Give each searcher one self-contained question. A "
    "subtask may read artifacts by name, or '*' for everything found so far; plan what reads "
    "others after what it reads. End with a writer that reads '*' once enough was found. "
    "Reply with at most six new subtasks, none that was done before."
)
REFLECTION = (
    "You reflect on a research run: the plan against what came of it. Decide: continue "
    "(planned subtasks are open), replan (something is missing and can still be searched; "
    "name it in leads as questions), end (a writer's artifact is done and nothing important "
    "is missing), or escalate (only the person can say how to go on; ask one question). "
    "Do not write files and do not answer the question."
)


class PlannedSubtask(BaseModel):
    """One subtask of the plan."""

    role: str
    instruction: str
    expected_artifact: str
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


class SubagentReply(BaseModel):
    """What a subagent returns."""

    artifact_name: str = ""
    content: str
    status: Literal["done", "empty"]


class Reflection(BaseModel):
    """What happens next, and why."""

    decision: Literal["continue", "replan", "end", "escalate"]
    reason: str
    leads: list[str] = Field(default_factory=list)
    question: str = ""


class ModelResearcher:
    """A `Researcher` behind one chat model. Raises ModelError and BudgetSpent."""

    def __init__(self, chat: ChatModel, budget: Budget) -> None:
        self._chat = chat
        self._budget = budget

    def plan(self, view: View) -> Planned:
        schema = plan_schema(tuple(role.name for role in view.roles))
        messages = _plan_messages(view)
        reply, spent = self._structured(messages, schema)
        given = (view.question, *view.leads, *view.guidance)
        drafts = (
            cast("DraftSubtask", task.model_dump())
            for task in reply.subtasks
            if not says_nothing(task.instruction, messages, *given)
        )
        return Planned(tuple(drafts), usage=spent.usage, warnings=spent.warnings)

    def compose(
        self,
        role: Role,
        instruction: str,
        files: Sequence[ReadFile],
        passages: Sequence[Passage],
    ) -> Composed:
        messages = _role_messages(role, instruction, files, passages)
        reply, spent = self._structured(messages, SubagentReply)
        content = "" if reply.status == "empty" else reply.content
        if reply.status != "empty" and says_nothing(content, [("system", role.system)]):
            raise UnusableReplyError(f"{self._chat.who} gave the {role.name} nothing.", spent)
        return Composed(content, usage=spent.usage, warnings=spent.warnings)

    def reflect(self, view: View) -> Reflected:
        messages = _reflection_messages(view)
        reply, spent = self._structured(messages, Reflection)
        leads = [lead for lead in reply.leads if not says_nothing(lead, messages, view.question)]
        return Reflected(
            reply.decision,
            "" if says_nothing(reply.reason) else reply.reason,
            tuple(leads[:MOST_LEADS]),
            None if says_nothing(reply.question) else reply.question,
            usage=spent.usage,
            warnings=spent.warnings,
        )

    def _structured(self, messages: Messages, schema: type[T]) -> tuple[T, Outcome]:
        """The reply read by `schema`, asked for once more when it cannot be read; and what the
        calls took and warned of.
        """
        meter = UsageMeter(self._budget)
        spent = Outcome()
        for _ in range(ATTEMPTS):
            message = self._chat.ask(messages, meter, output_limits.REPORT, schema)
            spent = Outcome(usage=meter.usage, warnings=tuple(meter.warnings))
            found: dict[str, Any] = fields(message)
            written = plain_text(message)
            if not found and schema is SubagentReply and written[:1] not in ("", "{", "["):
                found = {"content": written, "status": "done"}
            try:
                return schema.model_validate(found), spent
            except ValidationError:
                continue
        raise UnusableReplyError(
            f"{self._chat.who} gave no usable {schema.__name__} in {ATTEMPTS} attempts.", spent
        )


def _plan_messages(view: View) -> Messages:
    roles = "\n".join(f"- {role.name}: {role.purpose}" for role in view.roles)
    files = "\n".join(f"- {f['name']}: {f['status']}, {f['bytes']} bytes" for f in view.files)
    more = "\n".join(
        [f"Lead: {one_line(lead)}" for lead in view.leads]
        + [f"The person said: {one_line(said)}" for said in view.guidance]
    )
    told = [
        *([f"Why this round: {one_line(view.reason)}"] if view.reason else []),
        *(["It is the last round: end with the writer."] if view.last else []),
        f"Subtasks so far:\n{_subtasks(view.plan)}",
        f"Files:\n{files or '- none'}\n{more}",
        f"Goal of the run: {one_line(view.question)}",
    ]
    return [("system", f"{PLANNER}\n\nRoles:\n{roles}"), ("user", "\n\n".join(told))]


def _role_messages(
    role: Role, instruction: str, files: Sequence[ReadFile], passages: Sequence[Passage]
) -> Messages:
    fence, quotes = fenced(instruction, passages, [file.content for file in files])
    found = [fence.document("file", file.name, file.content) for file in files]
    return [
        ("system", role.system),
        ("user", "\n".join([*found, *quotes, f"Question: {one_line(instruction)}"])),
    ]


def _reflection_messages(view: View) -> Messages:
    artifacts = "\n".join(map(_about, view.artifacts))
    told = [
        f"Round {view.round + 1}.",
        f"Plan:\n{_subtasks(view.plan)}",
        f"Artifacts:\n{artifacts or '- none'}",
        f"Goal of the run: {one_line(view.question)}",
    ]
    return [("system", REFLECTION), ("user", "\n\n".join(told))]


def _subtasks(plan: Sequence[Subtask]) -> str:
    lines = (f"- {t['role']} ({t['status']}): {one_line(t['instruction'])}" for t in plan)
    return "\n".join(lines) or "- none"


def _about(artifact: Artifact) -> str:
    missing = one_line("; ".join(artifact["missing"]))
    return (
        f"- {artifact['name']} by {artifact['role']}: {artifact['status']}, "
        f"{len(artifact['citations'])} citations" + (f"; missing: {missing}" if missing else "")
    )
