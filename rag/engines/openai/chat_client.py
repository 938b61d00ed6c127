"""LangChain's chat model, with what it leaves out of a reply: thinking, and streamed refusals.

A shape is asked for as its `with_structured_output` says it, and read by nobody but us: reading
that raises where a reply is not quite of that shape loses the reply.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import openai
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult, GenerationChunk
from langchain_core.utils.function_calling import convert_to_openai_function
from langchain_openai.chat_models.base import ChatOpenAI
from pydantic import BaseModel

THOUGHTS = ("reasoning_content", "reasoning")
"""Fields in which servers put thinking: llama.cpp, vLLM, DeepSeek; Ollama, OpenRouter."""


class ChatClient(ChatOpenAI):
    """Keeps thinking as `additional_kwargs["reasoning_content"]`, whatever its field is called."""

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if (wanted := payload.pop("response_format", None)) is not None:
            body = {"response_format": _json_schema(wanted)}
            payload["extra_body"] = (payload.get("extra_body") or {}) | body
        return payload

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


@lru_cache(maxsize=256)
def _json_schema(wanted: type[BaseModel]) -> dict[str, Any]:
    named = convert_to_openai_function(wanted.model_json_schema(), strict=True)
    named["schema"] = named.pop("parameters")
    return {"type": "json_schema", "json_schema": named}


class Watched(BaseCallbackHandler):
    """Gives each piece of a streamed reply to `receive`; what that raises ends the stream."""

    raise_error = True
    run_inline = True

    def __init__(self, receive: Callable[[ChatGenerationChunk], None]) -> None:
        self._receive = receive

    def on_llm_new_token(
        self,
        token: Any,  # noqa: ARG002
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        **_given: Any,
    ) -> None:
        if isinstance(chunk, ChatGenerationChunk):
            self._receive(chunk)
