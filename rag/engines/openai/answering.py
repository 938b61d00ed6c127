"""generate with a model: one structured reply, its text streamed as it comes."""

from __future__ import annotations

import re
from dataclasses import replace

from rag.budget import BudgetSpent
from rag.engines.openai import output_limits
from rag.engines.openai.answer_reply import AnswerReply, ReadReply, partial_texts, read_reply
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import generate_messages
from rag.engines.openai.replies import without_thinking
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.protocol import Emit, Generated, GenerateRequest
from state.errors import ModelError

ENDINGS = ("stop", "tool_calls", "function_call", "eos", "end_turn")
NO_ANSWER = "i cannot answer"
_UNSURE_OPENINGS = ("<think", NO_ANSWER, "{", "```")


def generate(
    chat: ChatModel, request: GenerateRequest, emit: Emit, meter: UsageMeter, *, streamed: bool
) -> Generated:
    """Unless `streamed`, the text is emitted when it is finished, at a fraction of the work.

    A reply in which nothing was said is asked for once more, then in plain text. One that broke off
    behind something comes back with complete=False.

    Raises:
        ModelError: there was no reply, or no text in it.
        BudgetSpent: a budget does not allow the call.
    """
    why = ""
    for attempt in range(2):
        shown = ShownText(emit)
        wanted = AnswerReply if attempt == 0 else None
        messages = generate_messages(request, formed=wanted is not None)
        if streamed:
            reply = chat.stream(messages, meter, output_limits.ANSWER, shown.receive, wanted)
        else:
            reply = chat.complete(messages, meter, output_limits.ANSWER, wanted)
        text = without_thinking(reply.text)
        whole = reply.ending in ENDINGS
        refuses = text.casefold().startswith(NO_ANSWER) and not re.search(r"\[\d+\]", text)
        if refuses and whole:
            return Generated()
        if not refuses:
            shown.finish(text)
        read = ReadReply(()) if refuses else read_reply(text)
        if whole and read.parts:
            return _generated(read)
        why = _why(chat, reply.ending, meter, thought=reply.thought or "<think" in reply.text)
        if read.parts:
            return replace(_generated(read), complete=False, warnings=(why,))
        meter.budget.check()
    raise ModelError(why, "Try again, or use another model.")


def _generated(read: ReadReply) -> Generated:
    if not read.held:
        return Generated(missing=tuple(read.missing))
    return Generated(tuple(read.parts), tuple(read.missing))


def _why(chat: ChatModel, ending: str | None, meter: UsageMeter, *, thought: bool) -> str:
    try:
        meter.budget.check()
    except BudgetSpent as spent:
        return f"The answer is unfinished. {spent}"
    if ending == "length":
        return f"{chat.who} ran out of room before the answer was finished."
    if ending == "content_filter":
        return f"{chat.who} stopped the answer by its content filter."
    if ending in ENDINGS:
        return f"{chat.who} replied with {'thinking only' if thought else 'an empty answer'}."
    return f"{chat.who} broke off before the answer was finished."


class ShownText:
    """The texts of a reply on their way to the person as it is written: of JSON the parts' texts,
    of a plain reply all of it; no thinking, and no non-answer.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._reply = ""
        self._shown = ""
        self._read = 0

    def receive(self, piece: str) -> None:
        self._reply += piece
        # Reading it anew costs as much as is written so far: not for every token of a long one.
        if len(self._reply) - self._read >= len(self._reply) // 200:
            self._read = len(self._reply)
            self._show(self._visible(self._reply))

    def finish(self, text: str) -> None:
        """`text` is the whole reply without its thinking."""
        self._show(self._visible(text, whole=True))

    def _visible(self, reply: str, *, whole: bool = False) -> str:
        text = without_thinking(reply).lstrip()
        if text.startswith(("{", "```json", "```\n{")):
            return " ".join(partial_texts(text))
        start = text[:16].casefold()
        unsure = any(start.startswith(o) or o.startswith(start) for o in _UNSURE_OPENINGS)
        return text if whole or not unsure else ""

    def _show(self, visible: str) -> None:
        if visible.startswith(self._shown) and len(visible) > len(self._shown):
            self._emit(visible[len(self._shown) :])
            self._shown = visible
