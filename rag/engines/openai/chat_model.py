"""One chat model at one endpoint: every call bounded, counted and its failures mapped to a line."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

from rag.budget import BudgetSpent
from rag.endpoint.address import (
    CONNECT_SECONDS,
    Endpoint,
    http_client,
    no_async_client,
    request_seconds,
)
from rag.endpoint.calls import recorded_call
from rag.endpoint.failures import failure, foreign_errors, quoted
from rag.endpoint.servers import KnownServer, keep_server, known_server
from rag.engines.openai.prices import price_of
from rag.engines.openai.prompts import Messages, sendable, shaped, version_of
from rag.engines.openai.reply import Reply
from rag.engines.openai.usage_meter import UsageMeter, tokens_of
from state.errors import ModelError, RequestRefusedError
from state.settings import Settings

if TYPE_CHECKING:
    from langchain_core.outputs import ChatGenerationChunk
    from pydantic import BaseModel

    from rag.engines.openai.chat_client import ChatClient

TEXT = "text"
FORMS = ("json_schema", "function_calling", TEXT)
"""How a reply of a known shape is asked for, the more reliable first: a schema constrains what can
be written at all. The shape is told in words besides, which is all that a text gets.
"""
LINE, ANSWER, THINKING = 120, 1_000, 3_000
"""Tokens of a reply at most: of a question or a query, of an answer, and of thinking before it."""
SLOW = 400.0
"""Tokens that are read in a second; below it a full context takes a person too long."""
SLOW_CONTEXT = 1_500
"""Tokens of documents for a server that reads so slowly."""
BESIDE = 2_200
"""Of a context what the instructions, the history and the reply may take."""
AT_HAND = 0.2
"""Seconds that a server on this machine is waited for when it is asked what it is."""
_TOLD = 300
"""Tokens of a prompt that tells how fast it was read."""
_OPTIONAL = re.compile(
    r"temperature|max_(?:completion_)?tokens|reasoning_effort|stream_options|extra inputs",
    re.IGNORECASE,
)
_HOSTED_THINKERS = re.compile(r"o\d|gpt-5")


class ChatModel:
    """Built on its first call; one connection pool for all calls. Thread-safe."""

    def __init__(self, name: str, endpoint: Endpoint, settings: Settings) -> None:
        self.name = name
        self.endpoint = endpoint
        self.price = price_of(name, settings)
        self.seconds = request_seconds(settings.request_timeout, endpoint)
        self._settings = settings
        self._thinks = endpoint.is_openai and bool(_HOSTED_THINKERS.match(name))
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
            max_retries=self._settings.max_retries,
            stream_usage=True,
            use_responses_api=False,
            cache=False,
        )

    @property
    def _built(self) -> ChatClient:
        with self._lock:
            return self._model

    def close(self) -> None:
        self._resources.close()

    @cached_property
    def known(self) -> KnownServer:
        return known_server(self._settings.home, self.endpoint, self.name)

    def learn(self, known: KnownServer) -> None:
        """Kept for the next process."""
        if known != self.known:
            self.known = known
            keep_server(self._settings.home, self.endpoint, self.name, known)

    def ask(
        self,
        messages: Messages,
        meter: UsageMeter,
        most: int,
        wanted: type[BaseModel] | None = None,
        receive: Callable[[str], None] | None = None,
    ) -> Reply:
        """The reply of at most `most` tokens besides thinking, in the shape of `wanted` where the
        model kept to it. With `receive` it is streamed, each piece of text given as it arrives; a
        stream that breaks off behind a piece is a reply without an ending.

        Raises:
            ModelError: in the end there was no reply.
            BudgetSpent: a budget does not allow the call, or its time ran out during it.
        """
        knew = self._thinks
        reply = self._counted(messages, meter, most, wanted, receive)
        if reply.thinks and not knew:
            self._thinks = True
            if reply.ending == "length" and not reply.text:  # now with room for it
                reply = self._counted(messages, meter, most, wanted, receive)
        if reply.refusal and not reply.written:
            said = quoted(reply.refusal, self.endpoint)
            hint = "Ask in other words, or use another model."
            raise ModelError(f"{self.who} refused to answer{said}.", hint)
        return reply

    def _counted(
        self,
        messages: Messages,
        meter: UsageMeter,
        most: int,
        wanted: type[BaseModel] | None,
        receive: Callable[[str], None] | None,
    ) -> Reply:
        from langsmith import tracing_context

        messages = shaped(sendable(messages), wanted)
        version = version_of(messages)
        with recorded_call(meter.log, "chat", self.name, self.endpoint.host, version) as call:
            try:
                # LangSmith's variables in the environment do not send documents anywhere from here.
                with tracing_context(enabled=False):
                    reply = self._asked(messages, meter, most, wanted, receive)
            except ModelError:
                try:
                    meter.budget.check()  # out of time rather than out of luck
                except BudgetSpent:
                    # It was sent, and what was sent is paid for.
                    meter.settle(call, messages, Reply(), self.price)
                    raise
                raise
            meter.settle(call, messages, reply, self.price)
        return reply

    def _asked(
        self,
        messages: Messages,
        meter: UsageMeter,
        most: int,
        wanted: type[BaseModel] | None,
        receive: Callable[[str], None] | None,
    ) -> Reply:
        """In the form that the server is known to take; a form or a parameter that it refuses is
        left at once, and not tried again.
        """
        form = (self.known.form if wanted is not None else None) or FORMS[0]
        if wanted is None:
            form = TEXT
        sure = True
        again = receive is not None and self._settings.max_retries > 0
        while True:
            try:
                reply = self._sent(form, messages, meter, most, wanted, receive)
            except foreign_errors() as error:
                told = failure(error, self.endpoint, self.name, self.seconds)
                status = getattr(error, "status_code", None)
                # A crash may be the form's doing; whether it was is found out anew next time.
                crashed = status == 500 and not isinstance(told, RequestRefusedError)
                after = None
                if crashed or isinstance(told, RequestRefusedError):
                    after = _next_form(form, told, shaped=wanted is not None)
                elif again and status is None and type(told) is ModelError:
                    again = False  # what breaks in a stream the SDK does not retry
                    continue
                if after is None:
                    raise told from None
                sure &= not crashed
                form = after
                continue
            if wanted is not None and sure:
                self.learn(replace(self.known, form=form))
            return reply

    @property
    def room(self) -> int | None:
        """Tokens of documents that the server takes, None where nothing says that they are few."""
        rooms = []
        if self.known.slow and "context_tokens" not in self._settings.model_fields_set:
            rooms.append(SLOW_CONTEXT)
        if self.endpoint.loopback and (size := self._context) is not None:
            rooms.append(max(size - BESIDE, SLOW_CONTEXT // 3))
        return min(rooms, default=None)

    @cached_property
    def _context(self) -> int | None:
        from rag.endpoint.local_servers import facts_of

        return facts_of(self.endpoint, self.name, AT_HAND).context

    def unheeded(self) -> None:
        """The server took a form and did not keep to it: words alone from now on."""
        self.learn(replace(self.known, form=TEXT))

    def _sent(
        self,
        form: str,
        messages: Messages,
        meter: UsageMeter,
        most: int,
        wanted: type[BaseModel] | None,
        receive: Callable[[str], None] | None,
    ) -> Reply:
        from rag.endpoint.bounded_client import ending
        from rag.engines.openai.chat_client import Watched

        most = most + THINKING if self._thinks else most
        options = self._options(form, messages, meter, most)
        watched = _Streamed(receive, meter, 8 * most) if receive is not None else None
        config: Any = None
        if watched is not None:
            options |= {"stream": True, "stream_usage": "bare" not in form}
            config = {"callbacks": [Watched(watched.add)]}
        model: Any = self._built.bind(**options)
        method: Any = form.partition(" ")[0]
        if wanted is not None and method != TEXT:
            model = self._built.with_structured_output(
                wanted, method=method, include_raw=True, **options
            )
        try:
            with ending(self.seconds, meter.budget.seconds_left()):
                sent = model.invoke(messages, config)
        except Exception as error:
            expected = isinstance(error, (_EnoughError, *foreign_errors()))
            if not expected or watched is None or not watched.reply.written:
                raise
            return watched.reply
        message = sent["raw"] if isinstance(sent, dict) else sent
        reply = _read(message)
        if watched is not None:
            self._clock(watched, reply)
        return reply

    def _clock(self, watched: _Streamed, reply: Reply) -> None:
        """What the first piece waited for was the reading."""
        told = reply.usage["input_tokens"] if reply.usage else 0
        if told >= _TOLD and watched.first is not None:
            slow = told / max(watched.first - watched.began, 1e-3) < SLOW
            self.learn(replace(self.known, slow=slow))

    def _options(
        self, form: str, messages: Messages, meter: UsageMeter, most: int
    ) -> dict[str, Any]:
        """Of one request; a token or money budget caps its output as well."""
        import openai

        meter.budget.check()
        if meter.budget.counts:
            room = meter.budget.room(tokens_of(messages), self.price)
            most = most if room is None else min(most, room)
        left = meter.budget.seconds_left()
        seconds = max(self.seconds if left is None else min(self.seconds, left), 0.001)
        timeout = openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        options: dict[str, Any] = {"timeout": timeout}
        if "bare" in form:
            return options
        if self._settings.temperature is not None:
            options["temperature"] = self._settings.temperature
        if self._settings.reasoning_effort is not None:
            options["reasoning_effort"] = self._settings.reasoning_effort
        # OpenAI's newer models refuse max_tokens; most other servers know nothing else.
        limit = "max_completion_tokens" if self.endpoint.is_openai else "max_tokens"
        return {**options, "extra_body": {limit: most}}


def _next_form(form: str, told: ModelError, *, shaped: bool) -> str | None:
    """What to ask in after a refusal: without what can be left out, where that is refused by name;
    else in the next form, if there is one.
    """
    method, *bare = form.split()
    if not bare and _OPTIONAL.search(told.message):
        return f"{method} bare"
    rest = FORMS[FORMS.index(method) + 1 :] if shaped else ()
    return " ".join([rest[0], *bare]) if rest else None


class _EnoughError(Exception):
    """A stream has told enough, or its question has no time left."""


class _Streamed:
    """What has arrived of a streamed reply, of `longest` characters at most."""

    def __init__(self, receive: Callable[[str], None], meter: UsageMeter, longest: int) -> None:
        self._receive = receive
        self._meter = meter
        self._longest = longest
        self.reply = Reply()
        self.began = time.perf_counter()
        self.first: float | None = None

    def add(self, chunk: ChatGenerationChunk) -> None:
        piece = _read(chunk.message)
        if self.first is None and (piece.written or piece.thought):
            self.first = time.perf_counter()
        self.reply.ending = piece.ending or self.reply.ending
        if piece.written:
            self.reply.written += piece.written
            self._receive(piece.written)
        left = self._meter.budget.seconds_left()
        if len(self.reply.written) > self._longest or (left is not None and left <= 0):
            self.reply.ending = None
            raise _EnoughError


def _read(message: Any) -> Reply:
    """A message, or a piece of one."""
    beside = message.additional_kwargs
    written = message.text
    if not written:  # what it calls functions with, one after the other
        pieces = getattr(message, "tool_call_chunks", None) or message.invalid_tool_calls
        written = "".join(each["args"] or "" for each in pieces)
    if not written:
        written = "\n".join(json.dumps(each["args"]) for each in message.tool_calls)
    return Reply(
        written,
        message.response_metadata.get("finish_reason"),
        message.usage_metadata,
        beside.get("reasoning_content") or "",
        beside.get("refusal") or "",
    )
