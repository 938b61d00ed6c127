"""One chat model at one endpoint: every call bounded, retried, counted and its failures mapped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from rag.background import Leave, in_background
from rag.endpoint.address import Endpoint, http_client, no_async_client, request_seconds
from rag.endpoint.failures import Failure, describe, foreign_errors, quoted
from rag.engines.openai.attempts import Attempts
from rag.engines.openai.dialect import Dialect, Limits
from rag.engines.openai.output_limits import ANSWER
from rag.engines.openai.prices import price_of
from rag.engines.openai.prompts import Messages, sendable, with_line
from rag.engines.openai.replies import plain_text
from rag.engines.openai.reply_forms import ReplyForm, asking, shape_of
from rag.engines.openai.usage_meter import UsageMeter, tokens_of
from state.errors import ModelError
from state.settings import Settings

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_core.messages.ai import UsageMetadata
    from pydantic import BaseModel

    from rag.engines.openai.chat_client import ChatClient


@dataclass(slots=True)
class Reply:
    """`ending` is the finish_reason, None for a reply that broke off; `thought` tells whether
    the server sent thinking apart from the text; `refusal` is what it said in its stead.
    """

    text: str
    ending: str | None
    usage: UsageMetadata | None = None
    thought: bool = False
    refusal: str = ""


def shaped(messages: Messages, wanted: type[BaseModel] | None) -> Messages:
    """With the shape of the reply told in words, which is all that some servers heed."""
    if wanted is None:
        return messages
    return with_line(messages, f"Reply with one JSON object and nothing else: {shape_of(wanted)}")


class ChatModel:
    """Built on its first call; one connection pool for all calls. Thread-safe."""

    def __init__(self, name: str, endpoint: Endpoint, settings: Settings) -> None:
        self.name = name
        self.endpoint = endpoint
        self.price = price_of(name, settings)
        self.dialect = Dialect(name, endpoint, settings)
        self._settings = settings
        seconds = request_seconds(settings.request_timeout, endpoint)
        self.attempts = Attempts(
            "chat", name, endpoint.host, self.price, settings.max_retries, seconds, self._describe
        )
        self._lock = Lock()
        self._resources = ExitStack()

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r} at {self.endpoint.host})"

    @property
    def who(self) -> str:
        return f"Model {self.name} at {self.endpoint.host}"

    @cached_property
    def _model(self) -> ChatClient:
        from rag.engines.openai.chat_client import ChatClient

        return ChatClient(
            model=self.name,
            base_url=self.endpoint.base_url,
            api_key=self.endpoint.key,
            default_query=dict(self.endpoint.query) or None,
            http_client=self._resources.enter_context(http_client(self.endpoint)),
            http_async_client=no_async_client(),
            openai_proxy="",
            http_socket_options=(),  # else a notice about proxies, which our client does obey
            max_retries=0,
            stream_usage=True,
            use_responses_api=False,
            cache=False,
        )

    def close(self) -> None:
        self._resources.close()

    def ask(
        self,
        messages: Messages,
        meter: UsageMeter,
        most: int,
        wanted: type[BaseModel] | None = None,
    ) -> AIMessage:
        """The raw reply of at most `most` tokens besides thinking, at temperature 0; `wanted`
        is asked for in the best form that the server takes.

        Raises:
            ModelError: in the end there was no reply.
            BudgetSpent: a budget does not allow the call, or its time ran out during it.
        """
        knew = self.dialect.thinks
        limits = Limits(most, brief=most < ANSWER)
        reply = self._asked(messages, meter, limits, wanted)
        thought = reply.additional_kwargs.get("reasoning_content") or "<think" in reply.text[:100]
        if thought and not knew:
            self.dialect.learn_thinking()
            cut = reply.response_metadata.get("finish_reason") == "length"
            if cut and not plain_text(reply):
                reply = self._asked(messages, meter, limits, wanted)
        return reply

    def _asked(
        self,
        messages: Messages,
        meter: UsageMeter,
        limits: Limits,
        wanted: type[BaseModel] | None,
    ) -> AIMessage:
        messages = shaped(sendable(messages), wanted)

        def attempt(seconds: float) -> AIMessage:
            def send(form: ReplyForm) -> AIMessage:
                options = self._options(messages, meter, limits, seconds)
                if wanted is not None:
                    # Not as LangChain's own options: it parses what it knows as a
                    # response_format itself, and raises what it cannot.
                    options["extra_body"] |= asking(wanted, form)
                return self._built.invoke(messages, **options)

            return self.dialect.asked(send, self._describe, shaped=wanted is not None)

        def used(reply: AIMessage) -> tuple[UsageMetadata | None, str]:
            return reply.usage_metadata, reply.text

        return self.attempts.run(attempt, used, messages, meter)

    @property
    def _built(self) -> ChatClient:
        with self._lock:
            return self._model

    def complete(
        self,
        messages: Messages,
        meter: UsageMeter,
        most: int,
        wanted: type[BaseModel] | None = None,
    ) -> Reply:
        """The whole reply in one piece, in the shape of `wanted`; errors as `ask`."""
        message = self._asked(messages, meter, Limits(most, self._settings.temperature), wanted)
        beside = message.additional_kwargs
        reply = Reply(
            message.text,
            message.response_metadata.get("finish_reason"),
            thought=bool(beside.get("reasoning_content")),
            refusal=beside.get("refusal") or "",
        )
        return self._looked_at(reply)

    def _looked_at(self, reply: Reply) -> Reply:
        if reply.refusal and not reply.text:
            raise ModelError(
                f"{self.who} refused to answer{quoted(reply.refusal, self.endpoint)}.",
                "Ask in other words, or use another model.",
            )
        if reply.thought or "<think" in reply.text[:100]:
            self.dialect.learn_thinking()
        return reply

    def stream(
        self,
        messages: Messages,
        meter: UsageMeter,
        most: int,
        receive: Callable[[str], None],
        wanted: type[BaseModel] | None = None,
    ) -> Reply:
        """The whole reply in the shape of `wanted`; each piece of text was given to `receive` as it
        arrived.

        Attempts are repeated only as long as nothing was received. A reply that broke off
        afterwards is returned with what there is of it, without an ending.

        Raises:
            ModelError: in the end there was no reply.
            BudgetSpent: a budget does not allow the call.
        """
        messages = shaped(sendable(messages), wanted)

        def attempt(seconds: float) -> Reply:
            def send(form: ReplyForm) -> Reply:
                body = {} if wanted is None else asking(wanted, form)
                return self._streamed(messages, meter, most, seconds, receive, body)

            return self.dialect.asked(
                send, self._describe, shaped=wanted is not None, streamed=True
            )

        reply = self.attempts.run(attempt, lambda r: (r.usage, r.text), messages, meter)
        return self._looked_at(reply)

    def _streamed(
        self,
        messages: Messages,
        meter: UsageMeter,
        most: int,
        seconds: float,
        receive: Callable[[str], None],
        body: Mapping[str, Any],
    ) -> Reply:
        limits = Limits(most, self._settings.temperature)
        options = self._options(messages, meter, limits, seconds)
        options["extra_body"] |= body
        options["stream_usage"] = self.dialect.takes("stream_options")
        reply = Reply("", None)
        began = False
        try:
            for piece in self._pieces(messages, options, meter):
                began = True
                reply.ending = piece.response_metadata.get("finish_reason", reply.ending)
                reply.usage = piece.usage_metadata or reply.usage
                reply.thought |= "reasoning_content" in piece.additional_kwargs
                reply.refusal += piece.additional_kwargs.get("refusal") or ""
                if piece.text:
                    reply.text += piece.text
                    receive(piece.text)
        except foreign_errors():
            if not reply.text:
                raise
        if not began:
            raise ValueError("an empty stream")
        return reply

    def _pieces(
        self, messages: Messages, options: dict[str, Any], meter: UsageMeter
    ) -> Iterator[AIMessageChunk]:
        """Until the question's time is up, also where a server drips what is no piece."""
        size, longest = 0, 8 * self.dialect.room(ANSWER)
        pieces = in_background(
            lambda: self._built.stream(messages, **options), Leave(), meter.budget.seconds_left
        )
        with closing(pieces), suppress(TimeoutError):
            for piece in pieces:
                yield piece
                size += len(piece.text)
                if size > longest:
                    return

    def _describe(self, error: Exception) -> Failure:
        return describe(error, self.endpoint, self.name, self.attempts.seconds)

    def _options(
        self, messages: Messages, meter: UsageMeter, limits: Limits, seconds: float
    ) -> dict[str, Any]:
        """Limits of one request; a token or money budget caps its output as well."""
        meter.budget.check()
        most = self.dialect.room(limits.tokens)
        if meter.budget.counts:
            room = meter.budget.room(tokens_of(messages), self.price)
            most = most if room is None else min(most, room)
        return self.dialect.parameters(replace(limits, tokens=most), seconds)
