"""LangChain's chat model for replies that are read by nobody but us: reading that raises where a
reply is not quite of its shape, or was cut short, loses the reply.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import LanguageModelInput
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk
from langchain_core.utils.function_calling import convert_to_openai_function
from langchain_openai.chat_models.base import ChatOpenAI
from pydantic import BaseModel

from rag.engines.openai.reply import Reply


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


class EnoughError(Exception):
    """A stream has told enough, or its question has no time left."""


class Stream(BaseCallbackHandler):
    """What has arrived of a streamed reply, each piece given to `receive`, of `longest` characters
    at most, and how many seconds passed before it came. What is raised here ends the stream.
    """

    raise_error = True
    run_inline = True

    def __init__(
        self,
        receive: Callable[[str], None],
        longest: int,
        seconds_left: Callable[[], float | None],
    ) -> None:
        self.reply = Reply()
        self.waited: float | None = None
        self._receive = receive
        self._longest = longest
        self._seconds_left = seconds_left
        self._began = time.perf_counter()
        self._pieces = 0

    def on_llm_new_token(
        self,
        token: Any,  # noqa: ARG002
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        **_given: Any,
    ) -> None:
        if not isinstance(chunk, ChatGenerationChunk):
            return
        piece = Reply.of(chunk.message)
        self._pieces += 1
        # The first piece of some servers only says who speaks.
        if self.waited is None and (piece.written or self._pieces > 1):
            self.waited = time.perf_counter() - self._began
        self.reply.ending = piece.ending or self.reply.ending
        if piece.written:
            self.reply.written += piece.written
            self._receive(piece.written)
        left = self._seconds_left()
        if len(self.reply.written) > self._longest or (left is not None and left <= 0):
            self.reply.ending = None
            raise EnoughError
