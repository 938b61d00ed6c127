"""What a call used, by the server's own count or by ours, and whether the two agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.endpoint.calls import Call
from rag.engines.openai.prompts import Messages
from rag.engines.openai.usage_meter import UsageMeter

if TYPE_CHECKING:
    from langchain_core.messages.ai import UsageMetadata

FEWEST_COUNTED = 0.6
"""Of the tokens that we count in a prompt; a server that counts fewer has cut it."""
LEAST_CONTEXT = 500
"""Tokens that every server's context holds, so that a smaller count is no cut."""
CHARACTERS_A_TOKEN = 6
"""More than English text has; below it no prompt is worth counting anew."""


def settle(
    call: Call,
    meter: UsageMeter,
    messages: Messages,
    usage: UsageMetadata | None,
    written: str,
    price: tuple[float, float] | None,
) -> None:
    """Note a call's tokens and charge them; ours where the server sent none."""
    told = bool(usage and (usage["input_tokens"] or usage["output_tokens"]))
    if usage and told:
        inputs, outputs = usage["input_tokens"], usage["output_tokens"]
        if is_cut(messages, inputs):
            meter.warn(
                f"Model {call.model} at {call.host} read {inputs:,} of about "
                f"{tokens_of(messages):,} tokens: it cut your documents. Give it a longer "
                "context: OLLAMA_CONTEXT_LENGTH or num_ctx (Ollama), -c (llama.cpp), "
                "--max-model-len (vLLM)."
            )
    else:
        from state.tokens import count_tokens

        inputs, outputs = tokens_of(messages), count_tokens(written)
    call.input_tokens, call.output_tokens = inputs, outputs
    meter.add(inputs, outputs, price, estimated=not told)


def is_cut(messages: Messages, counted: int) -> bool:
    """Ollama and others drop what their context does not hold, and say nothing."""
    length = sum(len(text) for _, text in messages)
    if counted < LEAST_CONTEXT or counted * CHARACTERS_A_TOKEN > length:
        return False
    return counted < FEWEST_COUNTED * tokens_of(messages)


def tokens_of(messages: Messages) -> int:
    from state.tokens import count_tokens

    return sum(count_tokens(text) + 4 for _, text in messages)
