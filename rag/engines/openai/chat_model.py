"""One chat model at one endpoint: calls are bounded and counted, failures mapped to one line."""

from __future__ import annotations

import re
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from rag.budget import Budget, record_call
from rag.endpoint.address import Endpoint
from rag.endpoint.failures import foreign_errors, model_error, redacted
from rag.engines.openai.prices import charge, price_of, tokens_of
from rag.engines.openai.prompts import Messages, sendable, with_schema
from rag.engines.openai.reply import Receive, Reply, read_stream
from rag.engines.openai.server import Server
from state.errors import ModelError, ModelLateError, RequestRefusedError
from state.settings import Settings

if TYPE_CHECKING:
    from langchain_openai.chat_models.base import ChatOpenAI

TEXT, BARE = "text", "bare"
FORMS = ("json_schema", "function_calling", TEXT)
"""How a reply with a schema is asked for, the most reliable first: json_schema constrains what the
server can write at all. The schema is always told in words too; `text` has only these.
"""
LINE, ANSWER, THINKING = 120, 1_000, 3_000
"""The most tokens of a question or a query, of an answer, and of the thinking before a reply."""
CONNECT_SECONDS = 5.0
REQUEST_SECONDS = 60.0
"""The longest that a request may take, its retries included, unless the settings say otherwise."""
LOOPBACK_SECONDS = 300.0
"""A model on this machine's own processor reads some forty tokens a second."""
CRASH = 500
_OPTIONAL = re.compile(
    r"temperature|max_(?:completion_)?tokens|reasoning_effort|stream_options|extra inputs",
    re.IGNORECASE,
)
_HOSTED_THINKERS = re.compile(r"o\d|gpt-5")


@dataclass(frozen=True, slots=True)
class Request:
    """`max_tokens` bounds the reply, besides thinking; `schema` is its shape, if it has one. With
    `receive` the reply is streamed, each piece of text passed on as it arrives.
    """

    messages: Messages
    budget: Budget
    max_tokens: int
    schema: type[BaseModel] | None = None
    receive: Receive | None = None


class ChatModel:
    """Built on its first call; one connection pool for all calls. Thread-safe."""

    def __init__(self, name: str, endpoint: Endpoint, settings: Settings) -> None:
        self.name = name
        self.endpoint = endpoint
        self.price = price_of(name, settings)
        usual = LOOPBACK_SECONDS if endpoint.loopback else REQUEST_SECONDS
        self.seconds = settings.request_timeout or usual
        self.server = Server(endpoint, name, settings, self.seconds)
        self._settings = settings
        self._thinks = endpoint.is_openai and bool(_HOSTED_THINKERS.match(name))
        self._resources = ExitStack()

    @property
    def label(self) -> str:
        return f"Model {self.name} at {self.endpoint.host}"

    @cached_property
    def _model(self) -> ChatOpenAI:
        from langchain_openai.chat_models.base import ChatOpenAI

        from rag.endpoint.bounded_client import BoundedClient

        client = self._resources.enter_context(BoundedClient(self.endpoint.base_url))
        return ChatOpenAI(
            model=self.name,
            http_client=client,
            async_client="none",  # nothing uses one, and building it reads certificates
            base_url=self.endpoint.base_url,
            api_key=self.endpoint.key,
            default_query=dict(self.endpoint.query) or None,
            max_retries=self._settings.max_retries,
            openai_proxy="",
            http_socket_options=(),  # else a notice about proxies, which our client does obey
            use_responses_api=False,
            cache=False,
        )

    def close(self) -> None:
        self._resources.close()

    def ask(self, request: Request) -> Reply:
        """The reply, in the shape of the schema if the model kept to it. A stream that breaks off
        after some text is a reply without a finish_reason.

        Raises:
            ModelError: in the end there was no reply.
            BudgetSpent: a budget does not allow the call, or its time ran out during it.
        """
        messages = with_schema(sendable(request.messages), request.schema)
        request = replace(request, messages=messages)
        reply = self._counted(request)
        if reply.thinks and not self._thinks:
            self._thinks = True
            if not reply.text and reply.finish_reason == "length":
                reply = self._counted(request)  # now with room for it
        if reply.refusal and not reply.content:
            said = redacted(reply.refusal, self.endpoint)
            hint = "Ask in other words, or use another model."
            raise ModelError(f"{self.label} refused to answer{said}.", hint)
        return reply

    def _counted(self, request: Request) -> Reply:
        from langsmith import tracing_context

        messages, budget = request.messages, request.budget
        with record_call(self.name, self.endpoint.host) as call:
            try:
                # LangSmith's variables in the environment do not send documents anywhere from here.
                with tracing_context(enabled=False):
                    reply = self._in_some_form(request)
            except ModelError:
                if (left := budget.seconds_left()) is None or left > 0:
                    raise
                # Out of time rather than out of luck: it was sent, and what was sent is paid for.
                charge(call, messages, Reply(), self.price, budget)
                raise budget.time_spent_error() from None
            charge(call, messages, reply, self.price, budget)
        return reply

    def _in_some_form(self, request: Request) -> Reply:
        """The reply in the first form that the server takes. A form or a parameter that it refuses
        is given up at once, and not tried again later.
        """
        form = (self.server.known.form or FORMS[0]) if request.schema is not None else TEXT
        sure = True
        again = request.receive is not None and self._settings.max_retries > 0
        while True:
            try:
                reply = self._sent(form, request)
            except foreign_errors() as error:
                told = model_error(error, self.endpoint, self.name, self.seconds)
                left = request.budget.seconds_left()
                if isinstance(told, ModelLateError) and (left is None or left > 0):
                    self.server.was_late(tokens_of(request.messages))
                status = getattr(error, "status_code", None)
                crashed = status == CRASH and request.schema is not None
                if crashed or isinstance(told, RequestRefusedError):
                    if (after := _next_form(form, told, request)) is None:
                        raise told from None
                    # A crash may be the form's doing; whether it was is found out anew next time.
                    form, sure = after, sure and not crashed
                elif again and status is None and type(told) is ModelError:
                    again = False  # what breaks in a stream the SDK does not retry
                else:
                    raise told from None
            else:
                if request.schema is not None and sure:
                    self.server.learn(form=form)
                return reply

    def _sent(self, form: str, request: Request) -> Reply:
        from rag.endpoint.bounded_client import request_deadline

        max_tokens = request.max_tokens + (THINKING if self._thinks else 0)
        model = self._model.bind(**self._options(form, request, max_tokens))
        left = request.budget.seconds_left
        began = time.perf_counter()
        with request_deadline(self.seconds, left()):
            if request.receive is None:
                reply = Reply.of(model.invoke(request.messages))
            else:
                pieces = map(Reply.of, model.stream(request.messages))
                reply = read_stream(pieces, request.receive, 8 * max_tokens, left)
        self.server.time(reply, time.perf_counter() - began)
        return reply

    def _options(self, form: str, request: Request, max_tokens: int) -> dict[str, Any]:
        """The options of one request; a token or money budget caps its output as well."""
        import openai

        budget = request.budget
        prompt = tokens_of(request.messages) if budget.counts else 0
        room = budget.max_output_tokens(prompt, self.price)
        max_tokens = max_tokens if room is None else min(max_tokens, room)
        left = budget.seconds_left()
        seconds = max(self.seconds if left is None else min(self.seconds, left), 0.001)
        method, *bare = form.split()
        options: dict[str, Any] = {}
        body: dict[str, Any] = {}
        if request.schema is not None and method != TEXT:
            options |= _asked_by(self._model, request.schema, method)
            if "response_format" in options:
                # Past the SDK's own parser, which loses a reply that was cut short.
                body["response_format"] = options.pop("response_format")
        options["timeout"] = openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        if request.receive is not None:
            options["stream_usage"] = not bare
        if not bare:
            for name in ("temperature", "reasoning_effort"):
                if (value := getattr(self._settings, name)) is not None:
                    options[name] = value
            # OpenAI's newer models refuse max_tokens; most other servers know nothing else.
            body["max_completion_tokens" if self.endpoint.is_openai else "max_tokens"] = max_tokens
        return {**options, "extra_body": body}


def _asked_by(model: Any, wanted: type[BaseModel], method: str) -> dict[str, Any]:
    """The options by which LangChain asks for such a reply; its own parser is not used."""
    strict = method == FORMS[0]
    schema: Any = wanted.model_json_schema() if strict else wanted
    chain = model.with_structured_output(schema, method=method, strict=strict or None)
    return dict(chain.first.kwargs)


def _next_form(form: str, told: ModelError, request: Request) -> str | None:
    """The form to try after a refusal: the same one without optional parameters, if such a one was
    refused by name; or else the next form, or None.
    """
    method, *bare = form.split()
    if not bare and _OPTIONAL.search(told.message):
        return f"{method} {BARE}"
    rest = FORMS[FORMS.index(method) + 1 :] if request.schema is not None else ()
    return " ".join([rest[0], *bare]) if rest else None
