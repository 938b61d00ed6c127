"""Getting one verdict for every numbered item from a model, or saying that there is none.

All items are asked about in one structured call. What is too long is halved, what comes too late
is tried once with the first few. A verdict is only ever read, never supposed; who asked stands in
for what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag.budget import BudgetSpent
from rag.engines.openai import output_limits
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import Messages
from rag.engines.openai.replies import fields, plain_text
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.openai.verdict_schemas import Form, Verdict, model_of, verdicts
from state.errors import ModelAccessError, ModelError, ModelLateError, PromptTooLongError

MOST_TOGETHER = 16
AFTER_LATE = 4
"""The part of the items that is tried again, in one smaller batch, when all came too late."""

Ask = Callable[[Sequence[int]], Messages]
"""The prompt about some of the items (given by index), which it numbers from 1."""


@dataclass(slots=True)
class Found:
    """Verdicts by the items' index, the reply's other fields, and why items are missing."""

    verdicts: dict[int, Verdict] = field(default_factory=dict)
    extras: dict[str, Any] = field(default_factory=dict)
    failure: ModelError | BudgetSpent | None = None


class BatchJudge:
    """Asks one model."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    def close(self) -> None:
        self._chat.close()

    def judge(self, form: Form, items: int, ask: Ask, meter: UsageMeter) -> Found:
        """Verdicts on items 0 to `items` - 1; what could not be read is absent.

        Raises:
            ModelAccessError: no call there can succeed.
            BudgetSpent: the budget ran out before the first verdict.
        """
        found = Found()
        groups: list[Sequence[int]] = [
            range(items)[start : start + MOST_TOGETHER] for start in range(0, items, MOST_TOGETHER)
        ]
        while groups:
            group, *groups = groups
            try:
                self._together(form, group, ask, meter, found)
            except ModelAccessError:
                raise
            except (ModelError, BudgetSpent) as error:
                if isinstance(error, BudgetSpent) and not found.verdicts:
                    raise
                groups = _smaller(error, group, groups, first=found.failure is None)
                found.failure = error
                meter.failed = not isinstance(error, PromptTooLongError)
        return found

    def _together(
        self, form: Form, group: Sequence[int], ask: Ask, meter: UsageMeter, found: Found
    ) -> None:
        most = output_limits.verdicts(len(group))
        reply = self._chat.ask(ask(group), meter, most, model_of(form, len(group)))
        read = fields(reply)
        if not read and plain_text(reply):
            self._chat.dialect.learn_unheeded()
        for number, verdict in verdicts(form, len(group), read).items():
            found.verdicts[group[number - 1]] = verdict
        for name in form.extras:
            if name in read:
                found.extras.setdefault(name, read[name])


def _smaller(
    error: Exception, group: Sequence[int], rest: list[Sequence[int]], *, first: bool
) -> list[Sequence[int]]:
    """What to ask after a call for `group` failed, if anything."""
    if isinstance(error, PromptTooLongError):
        half = (len(group) + 1) // 2
        return [group[:half], group[half:], *rest] if len(group) > 1 else rest
    if isinstance(error, ModelLateError) and first and len(group) >= AFTER_LATE:
        return [group[: len(group) // AFTER_LATE]]
    return []
