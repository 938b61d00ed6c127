"""Asks a model for verdicts, on documents or claims, in one structured reply.

One property per item instead of a list: a server that constrains its output to the schema then
cannot leave one out, and no verdict can slip to its neighbour.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, create_model

from rag.budget import Budget
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import Messages, grade_messages, verify_messages
from rag.engines.protocol import Engine, Graded, Verified
from state.graph_state import GraphState, new_chunks
from state.passages import Grade
from state.wording import without_surrogates

MOST_TOGETHER = 20
"""How many documents a model grades, the best of what was found; code grades the rest."""
VERDICT = 60
"""The tokens that one verdict with its reason may take."""
_DECORATION = " \t\r\n*_`'\"“”.!,:"
Noun = Literal["document", "claim"]


def _bare(value: Any) -> Any:
    """A word however it is decorated; Pydantic takes a yes or no, and nothing else for one."""
    return value.strip(_DECORATION) if isinstance(value, str) else value


def _line(value: Any) -> str:
    return without_surrogates(" ".join(value.split())[:300]) if isinstance(value, str) else ""


# A string without a bound runs on where a schema is enforced. For the server only.
Line = Annotated[
    str, BeforeValidator(_line), Field(default="", json_schema_extra={"maxLength": 120})
]


class Verdict(BaseModel):
    """Of a document: whether it answers the question or a part of it. Of a claim: whether its quote
    supports it.
    """

    reason: Line
    holds: Annotated[bool, BeforeValidator(_bare)]


@lru_cache(maxsize=256)
def verdicts_model(noun: Noun, count: int) -> type[BaseModel]:
    """The Pydantic model of a reply about `count` items, numbered from 1."""
    asked: dict[str, Any] = {f"{noun}_{n}": (Verdict, ...) for n in range(1, count + 1)}
    return create_model(f"check_{noun}s", **asked)


def ask_verdicts(
    chat: ChatModel, messages: Messages, noun: Noun, count: int, budget: Budget
) -> list[Verdict]:
    """The verdicts on all items in their order, or none where the reply cannot be read."""
    model = verdicts_model(noun, count)
    told = chat.structured(messages, budget, VERDICT * (count + 1), model)
    return [] if told is None else [getattr(told, name) for name in model.model_fields]


def grade(chat: ChatModel, local: Engine, state: GraphState, budget: Budget) -> Graded:
    """Grades in one structured call; `local` grades what the model gave no readable verdict on."""
    chunks = new_chunks(state)
    asked = chunks[:MOST_TOGETHER]
    messages = grade_messages(state["standalone_question"], asked)
    verdicts = ask_verdicts(chat, messages, "document", len(asked), budget)
    grades = {
        chunk["chunk_id"]: _grade(chunk["chunk_id"], verdict)
        for chunk, verdict in zip(asked, verdicts, strict=False)
    }
    if left := [chunk["chunk_id"] for chunk in chunks if chunk["chunk_id"] not in grades]:
        by_code = local.grade({**state, "new_documents": left}).grades
        grades |= {each["chunk_id"]: each for each in by_code}
    told = f"{chat.label} gave no readable grades; the local grader graded."
    return Graded(
        grades=tuple(grades[chunk["chunk_id"]] for chunk in chunks),
        sufficient=any(each["relevant"] for each in (*grades.values(), *state["grades"].values())),
        warnings=() if verdicts else (told,),
    )


def verify(
    chat: ChatModel, claims: Sequence[str], quotes: Sequence[str], budget: Budget
) -> Verified:
    """Whether each claim is supported by the quote at the same index, asked in one call."""
    messages = verify_messages(claims, quotes)
    verdicts = ask_verdicts(chat, messages, "claim", len(claims), budget)
    if not verdicts:
        told = f"{chat.label} gave no readable verdicts; what is in doubt stays so."
        return Verified((None,) * len(claims), warnings=(told,))
    return Verified(tuple(verdict.holds for verdict in verdicts))


def _grade(chunk_id: str, verdict: Verdict) -> Grade:
    return {
        "chunk_id": chunk_id,
        "relevant": verdict.holds,
        "confidence": None,
        "reason": verdict.reason or None,
        "grader": "model",
    }
