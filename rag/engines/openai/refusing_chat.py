"""LangChain's chat model, with what it leaves out of a stream: why a model refuses."""

from __future__ import annotations

from typing import Any

from langchain_core.outputs import ChatGenerationChunk
from langchain_openai.chat_models.base import ChatOpenAI


class RefusingChat(ChatOpenAI):
    """Keeps `refusal` where LangChain keeps that of a whole reply."""

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], *others: Any
    ) -> ChatGenerationChunk | None:
        read = super()._convert_chunk_to_generation_chunk(chunk, *others)
        if read is not None and (choices := chunk.get("choices")):
            read.message.additional_kwargs["refusal"] = choices[0]["delta"].get("refusal")
        return read
