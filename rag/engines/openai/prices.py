"""Computes what a model call costs, notes it in the call's record and charges it to the budget.

Tokens are those that the server counted, or else our own count.
"""

from __future__ import annotations

from collections.abc import Mapping

from rag.budget import Budget
from rag.engines.openai.prompts import Messages
from rag.engines.openai.reply import Reply
from state.errors import SettingsError
from state.events import ModelCalled
from state.settings import Settings
from state.tokens import count_tokens

LISTED: Mapping[str, tuple[float, float]] = {
    # USD per million input and output tokens, as OpenAI listed them in March 2026.
    "gpt-4o": (2.50, 10.00),
    "gpt-4o-mini": (0.15, 0.60),
    "gpt-4.1": (2.00, 8.00),
    "gpt-4.1-mini": (0.40, 1.60),
    "gpt-5.4": (2.50, 15.00),
    "gpt-5": (1.25, 10.00),
    "gpt-5-mini": (0.25, 2.00),
}


def price_of(model: str, settings: Settings) -> tuple[float, float] | None:
    """USD per million input and output tokens, or None for a model nobody priced. A router's prefix
    ("openai/gpt-4o") is dropped for the built-in list.
    """
    return settings.prices.get(model, LISTED.get(model.removeprefix("openai/")))


def require_prices(settings: Settings) -> None:
    """Raises SettingsError if a money budget is set for a model without a price."""
    if settings.max_cost is not None and price_of(settings.model, settings) is None:
        raise SettingsError(
            f"--max-cost cannot be kept: there is no price for model {settings.model}.",
            f'Add it to the settings: prices = {{"{settings.model}" = [USD, USD]}} (per million '
            "input and output tokens), or use --max-tokens.",
        )


def charge(
    call: ModelCalled,
    messages: Messages,
    reply: Reply,
    price: tuple[float, float] | None,
    budget: Budget,
) -> None:
    """Note a call's tokens and cost, and charge them; estimated where the server sent no counts."""
    told = reply.usage
    if told and (told["input_tokens"] or told["output_tokens"]):
        inputs, outputs = told["input_tokens"], told["output_tokens"]
    else:
        inputs, outputs = tokens_of(messages), count_tokens(reply.content)
        call["estimated"] = True
    cost = None if price is None else (inputs * price[0] + outputs * price[1]) / 1e6
    call["input_tokens"], call["output_tokens"], call["cost_usd"] = inputs, outputs, cost
    budget.add(inputs + outputs, cost)


def tokens_of(messages: Messages) -> int:
    return sum(count_tokens(text) + 4 for _, text in messages)
