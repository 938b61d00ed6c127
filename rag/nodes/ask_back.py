"""ask_back: an underspecified question is met with a clarifying one that names what it could mean.

In a conversation the run stops here (LangGraph's `interrupt`) and goes on with the reply; what it
needs then is in the thread's state. Elsewhere, and where nobody replies, the turn ends with the
clarifying question.
"""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from rag.dependencies import Dependencies
from rag.nodes.start_turn import begun
from rag.nodes.update import Update
from rag.question.context import with_context
from state.graph_state import GraphState


def ask_back(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    open_question = state["open_question"]
    assert open_question is not None, "contextualize leaves what is to be asked"
    question, meant = open_question["question"], open_question["choices"]
    # Of a run that stopped before, the question's own state is gone.
    fresh: Update = {} if "question" in state else begun(question, runtime.context)
    if not runtime.context.can_reply:
        return {
            **fresh,
            "open_question": None,
            "standalone_question": question,
            "generation": asked_back(question, meant),
            "clarify": list(meant),
            "status": "abstained",
        }
    reply = _chosen(interrupt(open_question, response_schema=str), meant)
    alone = with_context(question, reply)
    return {
        **fresh,
        "open_question": None,
        "standalone_question": alone,
        "query": alone,
    }


def asked_back(question: str, meant: Sequence[str]) -> str:
    """The clarifying question, its choices numbered."""
    listed = "\n".join(f"{number}. {each}" for number, each in enumerate(meant, start=1))
    return f"What is “{' '.join(question.split())}” about?\n\n{listed}"


def _chosen(reply: str, meant: Sequence[str]) -> str:
    """A choice by its number, or what was typed instead."""
    text = reply.strip()
    if text.isdecimal() and 1 <= int(text) <= len(meant):
        return meant[int(text) - 1]
    return text
