"""Planning, composing and reflecting with a model: one structured call each.

Every call's messages are built from nothing but its own prompt and its arguments: no line
of the planner's prompt reaches a subagent, and the planner sees no text of a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from rag.budget import Budget
from rag.engines.openai import output_limits
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.fence import Fence
from rag.engines.openai.prompt_echo import is_echo, says_nothing
from rag.engines.openai.prompts import Messages, passage_text, passage_title
from rag.engines.openai.replies import fields, plain_text
from rag.engines.openai.reply_forms import Wanted, shape_of
from rag.engines.openai.usage_meter import UsageMeter
from rag.research.research_schemas import Reflection, SubagentReply, plan_schema
from rag.research.researcher import (
    Composed,
    DraftSubtask,
    Planned,
    PlanView,
    ReadFile,
    Reflected,
    ReflectionView,
    UnusableReplyError,
)
from rag.research.roles import Role
from state.passages import Passage
from state.research_state import Artifact

T = TypeVar("T", bound="BaseModel")

ATTEMPTS = 2
"""How often a reply that cannot be read is asked for."""

MOST_LEADS = 6

if TYPE_CHECKING:
    from pydantic import BaseModel

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


class ModelResearcher:
    """A `Researcher` behind one chat model. Raises ModelError and BudgetSpent."""

    def __init__(self, chat: ChatModel, budget: Budget) -> None:
        self._chat = chat
        self._budget = budget

    def plan(self, view: PlanView) -> Planned:
        meter = UsageMeter(self._budget)
        schema = plan_schema(tuple(role.name for role in view.roles))
        messages = _plan_messages(view)
        reply = self._structured(messages, schema, meter)
        given = (view.question, *view.leads, *view.guidance)
        drafts: list[DraftSubtask] = [
            {
                "role": task.role,
                "instruction": task.instruction,
                "expected_artifact": task.expected_artifact,
                "read_files": task.read_files,
            }
            for task in reply.subtasks
            if not says_nothing(task.instruction)
            and not is_echo(task.instruction, messages, *given)
        ]
        return Planned(tuple(drafts), meter.usage)

    def compose(
        self,
        role: Role,
        instruction: str,
        files: Sequence[ReadFile],
        passages: Sequence[Passage],
    ) -> Composed:
        meter = UsageMeter(self._budget)
        messages = _role_messages(role, instruction, files, passages)
        reply = self._structured(messages, SubagentReply, meter)
        if reply.status == "empty":
            return Composed("", meter.usage)
        if says_nothing(reply.content) or is_echo(reply.content, [("system", role.system)]):
            raise UnusableReplyError(f"{self._chat.who} gave the {role.name} nothing.", meter.usage)
        return Composed(reply.content, meter.usage)

    def reflect(self, view: ReflectionView) -> Reflected:
        meter = UsageMeter(self._budget)
        messages = _reflection_messages(view)
        reply = self._structured(messages, Reflection, meter)
        leads = [
            lead
            for lead in reply.leads
            if not says_nothing(lead) and not is_echo(lead, messages, view.question)
        ]
        return Reflected(
            reply.decision,
            "" if says_nothing(reply.reason) else reply.reason,
            tuple(leads[:MOST_LEADS]),
            None if says_nothing(reply.question) else reply.question,
            meter.usage,
        )

    def _structured(self, messages: Messages, schema: type[T], meter: UsageMeter) -> T:
        """The reply read by `schema`, asked for once more when it cannot be read."""
        from pydantic import ValidationError

        wanted = Wanted(schema, shape_of(schema))
        for _ in range(ATTEMPTS):
            message = self._chat.ask(messages, meter, output_limits.REPORT, wanted)
            found: dict[str, Any] = fields(message)
            written = plain_text(message)
            if not found and schema is SubagentReply and written[:1] not in ("", "{", "["):
                found = {"content": written, "status": "done"}
            try:
                return schema.model_validate(found)
            except ValidationError:
                continue
        raise UnusableReplyError(
            f"{self._chat.who} gave no usable {schema.__name__} in {ATTEMPTS} attempts.",
            meter.usage,
        )


def _plan_messages(view: PlanView) -> Messages:
    roles = "\n".join(f"- {role.name}: {role.purpose}" for role in view.roles)
    done = "\n".join(
        f"- {task['role']} ({task['status']}): {_line(task['instruction'])}" for task in view.plan
    )
    files = "\n".join(f"- {f['name']}: {f['status']}, {f['bytes']} bytes" for f in view.files)
    more = "\n".join(
        [f"Lead: {_line(lead)}" for lead in view.leads]
        + [f"The person said: {_line(said)}" for said in view.guidance]
    )
    told = [
        *([f"Why this round: {_line(view.reason)}"] if view.reason else []),
        *(["It is the last round: end with the writer."] if view.last else []),
        f"Subtasks so far:\n{done or '- none'}",
        f"Files:\n{files or '- none'}\n{more}",
        f"Goal of the run: {_line(view.question)}",
    ]
    return [("system", f"{PLANNER}\n\nRoles:\n{roles}"), ("user", "\n\n".join(told))]


def _role_messages(
    role: Role, instruction: str, files: Sequence[ReadFile], passages: Sequence[Passage]
) -> Messages:
    texts = [passage_text(passage) for passage in passages]
    titles = [passage_title(passage) for passage in passages]
    fence = Fence.around(instruction, [*texts, *titles, *(file.content for file in files)])
    found = [fence.document("file", file.name, file.content) for file in files]
    quotes = [
        fence.document(f"[{passage['number']}]", title, text)
        for passage, title, text in zip(passages, titles, texts, strict=True)
    ]
    return [
        ("system", role.system),
        ("user", "\n".join([*found, *quotes, f"Question: {_line(instruction)}"])),
    ]


def _reflection_messages(view: ReflectionView) -> Messages:
    plan = "\n".join(
        f"- {task['role']} ({task['status']}): {_line(task['instruction'])}" for task in view.plan
    )
    artifacts = "\n".join(map(_about, view.artifacts))
    told = [
        f"Round {view.round + 1}.",
        f"Plan:\n{plan or '- none'}",
        f"Artifacts:\n{artifacts or '- none'}",
        f"Goal of the run: {_line(view.question)}",
    ]
    return [("system", REFLECTION), ("user", "\n\n".join(told))]


def _about(artifact: Artifact) -> str:
    missing = _line("; ".join(artifact["missing"]))
    return (
        f"- {artifact['name']} by {artifact['role']}: {artifact['status']}, "
        f"{len(artifact['citations'])} citations" + (f"; missing: {missing}" if missing else "")
    )


def _line(text: str) -> str:
    return " ".join(text.split())
