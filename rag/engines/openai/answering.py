"""Generates an answer with a model: one structured reply, its text streamed as it comes."""

from __future__ import annotations

from dataclasses import replace

from rag.budget import Budget, BudgetSpent
from rag.citations.check import check_draft
from rag.engines.openai.answer_reply import AnswerReply, ReadReply, partial_texts, read_reply
from rag.engines.openai.chat_model import ANSWER, ChatModel, Request
from rag.engines.openai.prompts import generate_messages
from rag.engines.openai.refusal import is_refusal
from rag.engines.openai.reply import Reply, without_thinking
from rag.engines.protocol import Emit, Generated
from state.errors import ModelError
from state.graph_state import GraphState

NO_ANSWER = "i cannot answer"
_CUT = "broke off before the answer was finished"
_ENDINGS = {
    "length": "ran out of room before the answer was finished",
    "content_filter": "stopped the answer by its content filter",
}


def generate(chat: ChatModel, state: GraphState, emit: Emit, budget: Budget) -> Generated:
    """Asks for an answer.

    An empty reply is asked for once more in plain text, unless the model has shown that it can
    quote: then it is a refusal, as is a plain reply that says so without a marker. A reply that
    broke off after some text comes back with complete=False.

    Raises:
        ModelError: there was no reply, or no text in it.
        BudgetSpent: a budget does not allow the call.
    """
    server = chat.server
    for formed in (False,) if server.known.answers == "plain" else (True, False):
        shown = _StreamedText(emit, formed=formed)
        messages, schema = generate_messages(state, formed=formed), AnswerReply if formed else None
        reply = chat.ask(Request(messages, budget, ANSWER, schema, shown.receive))
        read = read_reply(reply.text, formed=formed)
        refuses, can_quote = _refuses(read, state), server.known.answers == "quotes"
        if reply.whole and (refuses or not read.held):
            if read.parts or can_quote:
                return replace(read, parts=(), refusal=read.parts if read.formed else ())
        elif read.parts and not refuses:
            if reply.whole and formed and not can_quote and (read.quotes or not read.formed):
                server.learn(answers="quotes" if read.formed else "plain")
            finished = reply.whole and read.complete
            if not finished or read.quotes or read.formed or not formed:
                shown.finish(reply.text)
                told = () if finished else (_unfinished_reason(chat, reply, read, budget),)
                return replace(read, complete=finished, warnings=told)
        budget.check()
    why = _unfinished_reason(chat, reply, read, budget)
    raise ModelError(why, "Try again, or use another model.")


def _refuses(read: ReadReply, state: GraphState) -> bool:
    if not read.parts or not is_refusal(read.parts[0]["text"]):
        return False
    if read.formed:
        return not check_draft(read.parts, state["context"]).citations
    return not read.quotes


def _unfinished_reason(chat: ChatModel, reply: Reply, read: ReadReply, budget: Budget) -> str:
    try:
        budget.check()
    except BudgetSpent as spent:
        return f"The answer is unfinished. {spent}"
    empty = f"replied with {'thinking only' if reply.thinks else 'an empty answer'}"
    broken = empty if reply.whole and not read.parts else _CUT
    return f"{chat.label} {_ENDINGS.get(str(reply.finish_reason), broken)}."


class _StreamedText:
    """Emits the text of a reply as it is written: of JSON the parts' texts, of a plain reply that
    was asked for all of it, but no thinking and no refusal.
    """

    def __init__(self, emit: Emit, *, formed: bool) -> None:
        self._emit = emit
        self._formed = formed
        self._reply = ""
        self._shown = ""
        self._read = 0

    def receive(self, piece: str) -> None:
        self._reply += piece
        # Reading it anew costs as much as is written so far: not for every token of a long one.
        if len(self._reply) - self._read >= len(self._reply) // 200:
            self._read = len(self._reply)
            self._show(self._visible(without_thinking(self._reply)))

    def finish(self, text: str) -> None:
        """`text` is the whole reply without its thinking."""
        self._show(self._visible(text, whole=True))

    def _visible(self, text: str, *, whole: bool = False) -> str:
        json = text.startswith("{") or (self._formed and text.startswith(("```json", "```\n{")))
        shown = " ".join(partial_texts(text)) if json else text
        start = shown[: len(NO_ANSWER)].casefold()
        unsure = any(each.startswith(start) for each in (NO_ANSWER, "<think", "```"))
        return shown if whole or not (unsure or (self._formed and not json)) else ""

    def _show(self, visible: str) -> None:
        if visible.startswith(self._shown) and len(visible) > len(self._shown):
            self._emit(visible[len(self._shown) :])
            self._shown = visible
