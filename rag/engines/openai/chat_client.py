"""LangChain's chat model with what it leaves out of a reply: thinking, and streamed refusals."""

from __future__ import annotations

from typing import Any

import openai
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai.chat_models.base import ChatOpenAI

THOUGHTS = ("reasoning_content", "reasoning")
"""Fields in which servers put thinking: llama.cpp, vLLM, DeepSeek; Ollama, OpenRouter."""


class ChatClient(ChatOpenAI):
    """Keeps thinking as `additional_kwargs["reasoning_content"]`, whatever its field is called."""

    def _create_chat_result(
        self,
        response: dict[str, Any] | openai.BaseModel,
        generation_info: dict[str, Any] | None = None,
    ) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        whole = response if isinstance(response, dict) else response.model_dump(warnings=False)
        for generation, choice in zip(result.generations, whole["choices"], strict=False):
            held = choice.get("message") or {}
            if isinstance(generation.message, AIMessage) and (thought := _thought(held)):
                generation.message.additional_kwargs["reasoning_content"] = thought
        return result

    def _convert_chunk_to_generation_chunk(
        self,
        chunk: dict[str, Any],
        default_chunk_class: type,
        base_generation_info: dict[str, Any] | None,
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        choices = chunk.get("choices") or ()
        delta = choices[0].get("delta") if choices else None
        if made is not None and isinstance(delta, dict):
            if thought := _thought(delta):
                made.message.additional_kwargs["reasoning_content"] = thought
            if isinstance(refusal := delta.get("refusal"), str) and refusal:
                made.message.additional_kwargs["refusal"] = refusal
        return made


def _thought(held: dict[str, Any]) -> str:
    found = next((held[name] for name in THOUGHTS if isinstance(held.get(name), str)), "")
    return found.strip() and found
