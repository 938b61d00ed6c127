"""Reads what a model really sent, without ever guessing a verdict from it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag.endpoint.failures import foreign_errors
from rag.engines.openai.prompts import FENCE

if TYPE_CHECKING:
    from langchain_core.messages.ai import UsageMetadata

Receive = Callable[[str], None]

LONGEST = 100_000
FINISH_REASONS = ("stop", "tool_calls", "function_call", "eos", "end_turn")
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_UNCLOSED = re.compile(r"\s*<think.*", re.DOTALL | re.IGNORECASE)
_OBJECT = re.compile(r'\{\s*"')
"""Matches how an object begins."""
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


@dataclass(slots=True)
class Reply:
    """A model's reply: `content` is its text, or the arguments of the function that it called;
    `finish_reason` is None if it broke off; `waited` is the seconds before the first piece of a
    stream.
    """

    content: str = ""
    finish_reason: str | None = None
    usage: UsageMetadata | None = None
    waited: float | None = None

    @classmethod
    def of(cls, message: Any) -> Reply:
        """Reads a piece of a message, as LangChain streams it."""
        content = message.text or "".join(each["args"] or "" for each in message.tool_call_chunks)
        finish_reason = message.response_metadata.get("finish_reason")
        return cls(content, finish_reason, message.usage_metadata)

    def read_stream(self, pieces: Iterator[Reply], receive: Receive, longest: int) -> None:
        """Reads a stream to its end. There is no finish_reason if it breaks off after some text, or
        is longer than `longest`.
        """
        began = time.perf_counter()
        try:
            for number, piece in enumerate(pieces):
                # The first piece of some servers only says who speaks.
                if self.waited is None and (piece.content or number):
                    self.waited = time.perf_counter() - began
                self.content += piece.content
                self.finish_reason = piece.finish_reason or self.finish_reason
                self.usage = piece.usage or self.usage
                if piece.content:
                    receive(piece.content)
                if len(self.content) > longest:
                    self.finish_reason = None
                    break
        except foreign_errors():
            if not self.content:
                raise

    @property
    def read(self) -> int:
        """Tokens of the prompt that the server says it read anew, 0 where it says nothing."""
        if self.usage is None:
            return 0
        known = self.usage.get("input_token_details", {}).get("cache_read") or 0
        return self.usage["input_tokens"] - known

    @property
    def whole(self) -> bool:
        return self.finish_reason in FINISH_REASONS

    @property
    def thinks(self) -> bool:
        """Whether it wrote its thinking, or used all of its room for thinking that is not sent."""
        return "<think" in self.content[:100] or (self.finish_reason == "length" and not self.text)

    @property
    def text(self) -> str:
        return without_thinking(self.content)

    def fields(self) -> dict[str, Any]:
        """All fields of a structured reply but those that are null, none where it is not one
        object; a call that was written as text is one.
        """
        read = json_object(self.text)
        inner = read.get("arguments", read.get("parameters"))
        given = inner if isinstance(inner, Mapping) and "name" in read else read
        return {name: value for name, value in given.items() if value is not None}


def without_thinking(reply: str) -> str:
    """A reply, also one still being written, without its thinking and copied fences."""
    text = _THINKING.sub("", FENCE.sub("", reply[:LONGEST]))
    text = "" if _UNCLOSED.match(text) else text
    # Some servers leave out the opening tag, which their template put into the prompt.
    return re.split(r"</think(?:ing)?>", text, flags=re.IGNORECASE)[-1].strip().lstrip("\ufeff")


def json_object(text: str) -> dict[str, Any]:
    """The one JSON object in `text`, whatever stands around it; an empty one where there is none,
    or another begins behind it. Trailing commas are forgiven.
    """
    written = text[:LONGEST][text.find("{") :]
    clean = _COMMA.sub(lambda match: match.group(1) or "", written)
    decoder = json.JSONDecoder(object_pairs_hook=_unique, strict=False)
    with suppress(ValueError, RecursionError):
        found, end = decoder.raw_decode(clean)
        return found if isinstance(found, dict) and not _OBJECT.search(clean, end) else {}
    return {}


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises ValueError if a value is given twice, differently: neither is what was meant."""
    read = dict(pairs)
    if any(read[key] != value for key, value in pairs):
        raise ValueError("two values of one field")
    return read
