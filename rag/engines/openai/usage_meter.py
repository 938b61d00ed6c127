"""What one node's calls used and cost, charged to the question's budget as it grows.

Tokens are counted by the server, else by us; where the two disagree, the server cut the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rag.budget import Budget
from rag.engines.openai.prompts import Messages
from rag.engines.openai.reply import Reply
from state.answer import NO_CALLS, NodeUsage
from state.errors import SettingsError
from state.events import ModelCalled
from state.settings import Settings

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
FEWEST_COUNTED = 0.6
"""Of the tokens that we count in a prompt; a server that counts fewer has cut it."""
LEAST_CONTEXT = 500
"""Tokens that every server's context holds, so that a smaller count is no cut."""
CHARACTERS_A_TOKEN = 6
"""More than English text has; below it no prompt is worth counting anew."""


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


@dataclass(slots=True)
class UsageMeter:
    """What the calls of one thread took; the cost turns None with the first call whose price is not
    known. `warnings` are of the calls themselves.
    """

    budget: Budget
    usage: NodeUsage = field(default_factory=NO_CALLS.copy)
    warnings: list[str] = field(default_factory=list)

    def settle(
        self, call: ModelCalled, messages: Messages, reply: Reply, price: tuple[float, float] | None
    ) -> None:
        """Note a call's tokens and charge them; ours, marked so, where the server sent none."""
        told = reply.usage
        if told and (told["input_tokens"] or told["output_tokens"]):
            inputs, outputs = told["input_tokens"], told["output_tokens"]
            if _is_cut(messages, inputs):
                self.warnings.append(
                    f"Model {call['model']} at {call['host']} read {inputs:,} of about "
                    f"{tokens_of(messages):,} tokens: it cut your documents. Give it a longer "
                    "context: OLLAMA_CONTEXT_LENGTH or num_ctx (Ollama), -c (llama.cpp), "
                    "--max-model-len (vLLM)."
                )
        else:
            from state.tokens import count_tokens

            inputs, outputs = tokens_of(messages), count_tokens(reply.written)
            self.usage["estimated"] = True
        call["input_tokens"], call["output_tokens"] = inputs, outputs
        cost = None if price is None else (inputs * price[0] + outputs * price[1]) / 1e6
        before = self.usage["cost_usd"]
        self.usage["llm_calls"] += 1
        self.usage["input_tokens"] += inputs
        self.usage["output_tokens"] += outputs
        self.usage["cost_usd"] = None if before is None or cost is None else before + cost
        self.budget.add(inputs + outputs, cost)


def _is_cut(messages: Messages, counted: int) -> bool:
    """Ollama and others drop what their context does not hold, and say nothing."""
    length = sum(len(text) for _, text in messages)
    if counted < LEAST_CONTEXT or counted * CHARACTERS_A_TOKEN > length:
        return False
    return counted < FEWEST_COUNTED * tokens_of(messages)


def tokens_of(messages: Messages) -> int:
    from state.tokens import count_tokens

    return sum(count_tokens(text) + 4 for _, text in messages)
