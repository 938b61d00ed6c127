"""One chat model at one endpoint: every call bounded, retried, counted and its failures mapped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rag.budget import BudgetSpent
from rag.endpoint.address import CONNECT_SECONDS, Endpoint, http_client, no_async_client
from rag.endpoint.calls import Call, noting
from rag.endpoint.failures import describe, foreign_errors, quoted
from rag.endpoint.retry import Retries
from rag.engines.openai.prices import price_of
from rag.engines.openai.prompts import Messages, version_of
from rag.engines.openai.tally import Tally
from state.errors import ModelError
from state.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import LanguageModelInput
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_core.messages.ai import UsageMetadata
    from langchain_core.runnables import Runnable, RunnableBinding, RunnableSequence
    from langchain_openai import ChatOpenAI
    from pydantic import BaseModel

MOST_OUTPUT = 4_096
"""Output tokens of one reply at most: a model that never stops is stopped."""


T = TypeVar("T")


@dataclass(slots=True)
class Reply:
    """`ending` is the finish_reason, None for a reply that broke off."""

    text: str
    ending: str | None
    usage: UsageMetadata | None = None


class ChatModel:
    """Built on its first call; one connection pool for all calls. Thread-safe."""

    def __init__(self, name: str, endpoint: Endpoint, settings: Settings) -> None:
        self.name = name
        self.endpoint = endpoint
        self.price = price_of(name, settings)
        self._settings = settings
        self._bound: dict[type[BaseModel], Runnable[LanguageModelInput, AIMessage]] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r} at {self.endpoint.host})"

    @property
    def who(self) -> str:
        return f"Model {self.name} at {self.endpoint.host}"

    @cached_property
    def _model(self) -> ChatOpenAI:
        from langchain_openai import ChatOpenAI

        options: dict[str, Any] = {}
        if self._settings.temperature is not None:
            options["temperature"] = self._settings.temperature
        return ChatOpenAI(
            model=self.name,
            base_url=self.endpoint.base_url,
            api_key=self.endpoint.key,
            default_query=dict(self.endpoint.query) or None,
            http_client=http_client(self.endpoint),
            http_async_client=no_async_client(),
            openai_proxy="",
            http_socket_options=(),  # else a notice about proxies, which our client does obey
            max_retries=0,
            stream_usage=True,
            use_responses_api=False,
            cache=False,
            **options,
        )

    def _runnable(self, schema: type[BaseModel] | None) -> Runnable[LanguageModelInput, AIMessage]:
        with self._lock:
            if schema is None:
                return self._model
            if schema not in self._bound:
                self._bound[schema] = self._demanding(schema)
            return self._bound[schema]

    def _demanding(self, schema: type[BaseModel]) -> Runnable[LanguageModelInput, AIMessage]:
        """The model bound to a call of `schema`, replying with the raw message.

        with_structured_output makes two steps: that model, and a parser that turns what it
        cannot read into None. Its include_raw=True would keep both, at twice the CPU time (a
        thread a call), so the first step is taken alone; and without the copy of the schema
        for LangSmith, which is made anew for every call, a fifth of its time.
        """
        structured = self._model.with_structured_output(schema, method="function_calling")
        binding = cast(
            "RunnableBinding[Any, Any]", cast("RunnableSequence[Any, Any]", structured).first
        )
        kept = {k: v for k, v in binding.kwargs.items() if k != "ls_structured_output_format"}
        return cast("Runnable[LanguageModelInput, AIMessage]", binding.bound.bind(**kept))

    def ask(
        self, messages: Messages, tally: Tally, schema: type[BaseModel] | None = None
    ) -> AIMessage:
        """The raw reply, in which a call to `schema` was demanded where one is given.

        Raises:
            ModelError: in the end there was no reply.
            BudgetSpent: a budget does not allow the call, or its time ran out during it.

        """
        runnable = self._runnable(schema)
        messages = _sendable(messages)

        def attempt(seconds: float) -> AIMessage:
            options = self._options(messages, tally, seconds)
            with _untraced():
                return runnable.invoke(messages, **options)

        with self._noted(messages, tally) as call:
            reply = self._run(attempt, messages, call, tally)
            written = reply.text + "".join(str(used["args"]) for used in reply.tool_calls)
            self._count(call, tally, messages, reply.usage_metadata, written)
        return reply

    def tell(self, messages: Messages, tally: Tally) -> Reply:
        """The whole reply in plain words, in one piece; errors as `ask`."""
        message = self.ask(messages, tally)
        if not message.text and (refusal := message.additional_kwargs.get("refusal")):
            raise ModelError(f"{self.who} refused to answer{quoted(refusal, self.endpoint)}.")
        return Reply(message.text, message.response_metadata.get("finish_reason"))

    def stream(self, messages: Messages, tally: Tally, receive: Callable[[str], None]) -> Reply:
        """The whole reply; each piece of text was given to `receive` as it arrived.

        Attempts are repeated only as long as nothing was received. A reply that broke off
        afterwards is returned with what there is of it, without an ending.

        Raises:
            ModelError: in the end there was no reply.
            BudgetSpent: a budget does not allow the call.

        """
        messages = _sendable(messages)

        def attempt(seconds: float) -> Reply:
            reply = Reply("", None)
            options = self._options(messages, tally, seconds)
            texts: list[str] = []
            began = False
            try:
                with _untraced():
                    for piece in self._pieces(messages, options, tally):
                        began = True
                        reply.ending = piece.response_metadata.get("finish_reason", reply.ending)
                        reply.usage = piece.usage_metadata or reply.usage
                        if piece.text:
                            texts.append(piece.text)
                            receive(piece.text)
            except foreign_errors():
                if not texts:
                    raise
            if not began:
                raise ValueError("an empty stream")
            reply.text = "".join(texts)
            return reply

        with self._noted(messages, tally) as call:
            reply = self._run(attempt, messages, call, tally)
            self._count(call, tally, messages, reply.usage, reply.text)
        return reply

    def _noted(self, messages: Messages, tally: Tally) -> AbstractContextManager[Call]:
        return noting(tally.log, "chat", self.name, self.endpoint.host, version_of(messages))

    def _pieces(
        self, messages: Messages, options: dict[str, Any], tally: Tally
    ) -> Iterator[AIMessageChunk]:
        with self._lock:
            model = self._model
        size = 0
        for piece in model.stream(messages, **options):
            yield piece
            left = tally.budget.seconds_left()
            size += len(piece.text)
            if (left is not None and left <= 0) or size > 8 * MOST_OUTPUT:
                return

    def _run(
        self, attempt: Callable[[float], T], messages: Messages, call: Call, tally: Tally
    ) -> T:
        settings = self._settings
        left = tally.budget.seconds_left()
        seconds = settings.request_timeout if left is None else min(settings.request_timeout, left)
        try:
            return Retries(settings.max_retries, seconds).run(
                attempt, foreign_errors(), lambda error: describe(error, self.endpoint, self.name)
            )
        except BudgetSpent:
            raise
        except ModelError:
            try:
                tally.budget.check()  # out of time rather than out of luck
            except BudgetSpent:
                # It was sent, and what was sent is paid for.
                self._count(call, tally, messages, None, "")
                raise
            raise

    def _options(self, messages: Messages, tally: Tally, seconds: float) -> dict[str, Any]:
        """Limits of one request; a token or money budget caps its output as well."""
        import openai

        tally.budget.check()
        most = MOST_OUTPUT
        if tally.budget.counts:
            room = tally.budget.room(self._tokens(messages), self.price)
            most = most if room is None else min(most, room)
        # OpenAI's newer models refuse max_tokens; most other servers know nothing else.
        limit = (
            {"max_completion_tokens": most}
            if self.endpoint.is_openai
            else {"extra_body": {"max_tokens": most}}
        )
        return {
            "timeout": openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            **limit,
        }

    def _count(
        self,
        call: Call,
        tally: Tally,
        messages: Messages,
        usage: UsageMetadata | None,
        written: str,
    ) -> None:
        told = bool(usage and (usage["input_tokens"] or usage["output_tokens"]))
        if usage and told:
            inputs, outputs = usage["input_tokens"], usage["output_tokens"]
        else:
            from state.tokens import count_tokens

            inputs, outputs = self._tokens(messages), count_tokens(written)
        call.input_tokens, call.output_tokens = inputs, outputs
        tally.add(inputs, outputs, self.price, estimated=not told)

    def _tokens(self, messages: Messages) -> int:
        from state.tokens import count_tokens

        return sum(count_tokens(text) + 4 for _, text in messages)


def _sendable(messages: Messages) -> Messages:
    """The same messages without lone surrogates, which UTF-8 cannot carry."""
    return [(role, text.encode("utf-8", "replace").decode("utf-8")) for role, text in messages]


def _untraced() -> Any:
    """LangSmith's variables in the environment do not send documents anywhere from here."""
    from langsmith import tracing_context

    return tracing_context(enabled=False)
