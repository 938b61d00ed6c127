"""generate with a model, streamed; a reply that did not come to its end is never complete."""

from __future__ import annotations

from dataclasses import replace

from rag.budget import BudgetSpent
from rag.engines.openai import output_limits
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.claims import read_claims
from rag.engines.openai.draft import Draft
from rag.engines.openai.prompts import generate_messages
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.protocol import Emit, Generated, GenerateRequest
from rag.question.aside import is_aside
from state.errors import ModelError

ENDINGS = ("stop", "tool_calls", "function_call", "eos", "end_turn")


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
