"""Getting one verdict for every numbered item from a model, or saying that there is none.

The ladder: all items in one call; what is missing from the reply once more; what is still
missing item by item, a few at a time. A verdict is only ever read, never supposed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rag.budget import BudgetSpent
from rag.engines.openai.chat import ChatModel
from rag.engines.openai.prompts import Messages
from rag.engines.openai.replies import fields, plain_text
from rag.engines.openai.schemas import (
    Form,
    Verdict,
    binary_score,
    model_of,
    template,
    verdicts,
)
from rag.engines.openai.tally import Tally
from state.errors import ModelError

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

AT_ONCE = 4
MOST_SINGLE = 20
MOST_TOGETHER = 16

Ask = Callable[[Sequence[int]], Messages]
"""The prompt about some of the items (given by index), which it numbers from 1."""


@dataclass(slots=True)
class Found:
    """Verdicts by the items' index, the reply's other fields, and why items are missing."""

    verdicts: dict[int, Verdict] = field(default_factory=dict)
    extras: dict[str, Any] = field(default_factory=dict)
    trouble: str | None = None


class Panel:
    """Asks one model. It remembers when its server takes no function calls."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._plain = False

    def judge(self, form: Form, items: int, ask: Ask, tally: Tally) -> Found:
        """Verdicts on items 0 to `items` - 1; what no rung of the ladder gave is absent.

        Raises:
            ModelError: the first call got no reply at all.
            BudgetSpent: the budget ran out before the first verdict.

        """
        found = Found()
        for start in range(0, items, MOST_TOGETHER):
            end = min(start + MOST_TOGETHER, items)
            self._together(form, range(start, end), ask, tally, found)
        missing = [item for item in range(items) if item not in found.verdicts]
        if not missing:
            return found
        try:
            for start in range(0, len(missing), MOST_TOGETHER):
                group = missing[start : start + MOST_TOGETHER]
                self._together(form, group, ask, tally, found, again=True)
            missing = [item for item in missing if item not in found.verdicts]
            if len(missing) <= MOST_SINGLE:
                self._singly(form.without_extras(), missing, ask, tally, found)
        except (ModelError, BudgetSpent) as error:
            found.trouble = str(error)
        return found

    def _together(
        self,
        form: Form,
        group: Sequence[int],
        ask: Ask,
        tally: Tally,
        found: Found,
        *,
        again: bool = False,
    ) -> None:
        messages = ask(group)
        if again:
            messages = _with(messages, f"Give a verdict for each {form.noun}, all of them.")
        reply = self._reply(form, len(group), messages, tally)
        if reply is None:
            return
        read = fields(reply)
        for number, verdict in verdicts(form, len(group), read).items():
            found.verdicts[group[number - 1]] = verdict
        for name in form.extras:
            if name in read:
                found.extras.setdefault(name, read[name])

    def _singly(
        self, form: Form, items: Sequence[int], ask: Ask, tally: Tally, found: Found
    ) -> None:
        def one(item: int) -> Verdict | None:
            reply = self._reply(form, 1, ask([item]), tally)
            if reply is None:
                return None
            read = verdicts(form, 1, fields(reply)).get(1)
            if read is None and (score := binary_score(plain_text(reply))) is not None:
                read = Verdict(score)
            return read

        with ThreadPoolExecutor(AT_ONCE) as pool:
            running = {item: pool.submit(one, item) for item in items}
        errors = []
        for item, future in running.items():
            try:
                verdict = future.result()
            except (ModelError, BudgetSpent) as error:
                errors.append(error)
                continue
            if verdict is not None:
                found.verdicts[item] = verdict
        if errors:
            raise errors[0]

    def _reply(self, form: Form, items: int, messages: Messages, tally: Tally) -> AIMessage | None:
        """A reply that came to its end, else None."""
        if not self._plain:
            try:
                return _whole(self._chat.ask(messages, tally, model_of(form, items)))
            except ModelError as error:
                if not _about_tools(error):
                    raise
                self._plain = True
        shape = f"Reply with one JSON object and nothing else: {template(form, items)}"
        return _whole(self._chat.ask(_with(messages, shape), tally))


def _whole(reply: AIMessage) -> AIMessage | None:
    """A reply cut off by length may still hold a finished call; one without is no reply."""
    cut = reply.response_metadata.get("finish_reason") in ("length", "content_filter")
    return None if cut and not reply.tool_calls else reply


def _about_tools(error: ModelError) -> bool:
    words = error.message.casefold()
    return "rejected the request" in words and ("tool" in words or "function" in words)


def _with(messages: Messages, line: str) -> Messages:
    """The same prompt with a line before the question, so that the question stays last."""
    *before, (role, text) = messages
    return [*before, (role, _before_last_line(text, line))]


def _before_last_line(text: str, line: str) -> str:
    head, _, last = text.rpartition("\n")
    return f"{head}\n{line}\n{last}"


def merged(extras: Mapping[str, Any], name: str) -> str:
    """A text field of a reply as one bounded line; empty where it is absent or no text."""
    value = extras.get(name)
    return " ".join(value.split())[:400] if isinstance(value, str) else ""
