"""LangChain's chat model for replies that are read by nobody but us: reading that raises where a
reply is not quite of its shape, or was cut short, loses the reply.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import LanguageModelInput
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk
from langchain_core.utils.function_calling import convert_to_openai_function
from langchain_openai.chat_models.base import ChatOpenAI
from pydantic import BaseModel


class ChatClient(ChatOpenAI):
    """Sends the schema of `with_structured_output` as it stands, past the SDK's own parser."""

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if (wanted := payload.pop("response_format", None)) is not None:
            body = {"response_format": _json_schema(wanted)}
            payload["extra_body"] = (payload.get("extra_body") or {}) | body
        return payload


@lru_cache(maxsize=256)
def _json_schema(wanted: type[BaseModel]) -> dict[str, Any]:
    named = convert_to_openai_function(wanted.model_json_schema(), strict=True)
    named["schema"] = named.pop("parameters")
    return {"type": "json_schema", "json_schema": named}


class Watched(BaseCallbackHandler):
    """Gives each piece of a streamed reply to `receive`; what that raises ends the stream."""

    raise_error = True
    run_inline = True

    def __init__(self, receive: Callable[[Any], None]) -> None:
        self._receive = receive

    def on_llm_new_token(
        self,
        token: Any,  # noqa: ARG002
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        **_given: Any,
    ) -> None:
        if isinstance(chunk, ChatGenerationChunk):
            self._receive(chunk.message)
