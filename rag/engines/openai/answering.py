"""generate with a model, streamed; a reply that did not come to its end is never complete."""

from __future__ import annotations

import re
from dataclasses import replace

from rag.budget import BudgetSpent
from rag.engines.openai import output_limits
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.claims import read_claims
from rag.engines.openai.prompts import generate_messages
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.protocol import Emit, Generated, GenerateRequest
from rag.question.aside import is_aside
from state.errors import ModelError

ENDINGS = ("stop", "tool_calls", "function_call", "eos", "end_turn")
_NO_ANSWER = "i cannot answer"
_OPENINGS = ("<think", _NO_ANSWER)
_CLOSED = re.compile(r"^<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_MARKER = re.compile(r"\[\d+\]")
_BRACKETED = re.compile(r"\(((?:\[\d{1,3}\][\s,;]*)+)\)")
_MAY_BE_BRACKETED = re.compile(r"\((?:\[\d{1,3}\][\s,;]*){0,9}(?:\[\d{0,3})?$")


def generate(
    chat: ChatModel, request: GenerateRequest, emit: Emit, meter: UsageMeter, *, streamed: bool
) -> Generated:
    """Unless `streamed`, the text is emitted when it is finished, at a fraction of the work.

    A reply of which nothing was shown yet is asked for once more if it broke off or was
    empty. One of which something was shown comes back with complete=False.

    Raises:
        ModelError: there was no reply, or no text in it.
        BudgetSpent: a budget does not allow the call.
    """
    asked = [turn["standalone_question"] for turn in request.history]
    earlier = [question for question in asked if not is_aside(question)]
    messages = generate_messages(
        request.question, request.passages, request.feedback, request.draft, earlier
    )
    why = ""
    for _ in range(2):
        draft = Draft(emit)
        if streamed:
            reply = chat.stream(messages, meter, output_limits.ANSWER, draft.receive)
        else:
            reply = chat.complete(messages, meter, output_limits.ANSWER)
            draft.receive(reply.text)
        ending = reply.ending
        text = draft.finish()
        if text is None and ending in ENDINGS:
            return Generated(text="")
        if text and ending in ENDINGS:
            return _generated(text)
        why = _why(chat, ending, meter, thought=draft.thought or reply.thought)
        if text:
            return replace(_generated(text), complete=False, warnings=(why,))
        meter.budget.check()
    raise ModelError(why, "Try again, or use another model.")


def _generated(text: str) -> Generated:
    return Generated(text.rstrip(), tuple(read_claims(text.rstrip())))


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


class Draft:
    """A streamed answer on its way to the person, without its thinking and without a non-answer.
    Passes pieces on at once, except while they may still turn out to be no answer, or a
    marker in brackets: `([1])` becomes `[1]`. `thought` tells whether there was thinking.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._held = ""
        self._open = False
        self._bracket = ""
        self._shown: list[str] = []
        self.thought = False

    def receive(self, piece: str) -> None:
        if self._open:
            self._show(piece)
            return
        self._held += piece
        self._drop_thinking()
        if self._held and not _may_be_no_answer(self._held):
            self._release()

    def _drop_thinking(self) -> None:
        self._held = self._held.lstrip()
        if (closed := _CLOSED.match(self._held)) is not None:
            self.thought = True
            self._held = self._held[closed.end() :].lstrip()

    def finish(self) -> str | None:
        """The text exactly as it was emitted, None if it says that there is no answer."""
        if not self._open and self._held.casefold().startswith(_NO_ANSWER):
            if not _MARKER.search(self._held):
                return None
            self._release()
        if self._held.casefold().startswith("<think"):
            self.thought = True
        elif self._held:
            self._release()
        self._pass_on(self._bracket)
        return "".join(self._shown)

    def _release(self) -> None:
        self._open = True
        held, self._held = self._held, ""
        self._show(held)

    def _show(self, text: str) -> None:
        text = _BRACKETED.sub(r"\1", self._bracket + text)
        unsure = _MAY_BE_BRACKETED.search(text)
        self._bracket = unsure.group() if unsure else ""
        self._pass_on(text[: unsure.start()] if unsure else text)

    def _pass_on(self, text: str) -> None:
        if text:
            self._shown.append(text)
            self._emit(text)


def _may_be_no_answer(text: str) -> bool:
    start = text.casefold()
    return any(start.startswith(o) or o.startswith(start) for o in _OPENINGS)
