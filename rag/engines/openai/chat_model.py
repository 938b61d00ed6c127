"""One chat model at one endpoint: calls are bounded and counted, failures mapped to one line."""

from __future__ import annotations

import re
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from rag.budget import Budget, record_call
from rag.endpoint.address import Endpoint
from rag.endpoint.failures import foreign_errors, model_error
from rag.engines.openai.prices import charge, price_of, tokens_of
from rag.engines.openai.prompts import Messages, sendable, with_schema
from rag.engines.openai.reply import Receive, Reply
from rag.engines.openai.server import Server
from state.background import Cancellation, in_background
from state.closing import Closing
from state.errors import ModelError, RequestRefusedError
from state.settings import Settings

if TYPE_CHECKING:
    from langchain_openai.chat_models.base import ChatOpenAI

T = TypeVar("T", bound=BaseModel)
TEXT, BARE, WHOLE = "text", "bare", "whole"
IN_WORDS = (TEXT, BARE, WHOLE)
FORMS = ("json_schema", "function_calling", *IN_WORDS)
"""How a reply with a schema is asked for, the most reliable first: json_schema constrains what the
server can write at all. The schema is always told in words too; `text` has only these, `bare` no
parameter that a server may refuse, and `whole` is not even streamed: OpenAI streams some models to
verified organizations alone.
"""
LINE, ANSWER, THINKING = 120, 1_000, 3_000
"""The most tokens of a question or a query, of an answer, and of the thinking before a reply."""
STREAM_PATIENCE = 10
"""A reply may take this many times as long as its beginning: a slow model writes for long."""
CONNECT_SECONDS = 5.0
REQUEST_SECONDS = 60.0
"""The longest that a request may take, its retries included, unless the settings say otherwise."""
LOOPBACK_SECONDS = 300.0
"""A model on this machine's own processor reads some forty tokens a second."""
CRASH = 500
_HOSTED_THINKERS = re.compile(r"o\d|gpt-5")


@dataclass(frozen=True, slots=True)
class Request:
    """`max_tokens` bounds the reply, besides thinking; `schema` is its shape, if it has one. Each
    piece of its text is passed on to `receive` as it arrives.
    """

    messages: Messages
    budget: Budget
    max_tokens: int
    schema: type[BaseModel] | None = None
    receive: Receive = lambda _piece: None


class ChatModel(Closing):
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
        # OpenAI's own thinking models take no other temperature than theirs.
        chosen = {"temperature": None if self._thinks else settings.temperature}
        self._chosen: dict[str, Any] = chosen | {"reasoning_effort": settings.reasoning_effort}

    @property
    def label(self) -> str:
        return f"Model {self.name} at {self.endpoint.host}"

    @cached_property
    def _model(self) -> ChatOpenAI:
        from langchain_openai.chat_models.base import ChatOpenAI

        from rag.endpoint.bounded_client import BoundedClient

        client = self._held.enter_context(BoundedClient(self.endpoint.base_url))
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
        return reply

    def structured(
        self, messages: Messages, budget: Budget, max_tokens: int, schema: type[T]
    ) -> T | None:
        """The reply as the schema says; None where it cannot be read. Raises as `ask`."""
        reply = self.ask(Request(messages, budget, max_tokens, schema))
        try:
            return schema.model_validate(reply.fields())
        except ValidationError:
            return None

    def _counted(self, request: Request) -> Reply:
        messages, budget = request.messages, request.budget
        with record_call(self.name, self.endpoint.host) as call:
            try:
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
        """The reply in the first form that the server takes, which is asked for at once later."""
        form = self.server.known.form or FORMS[0]
        forms: tuple[str, ...] = FORMS if request.schema is not None else IN_WORDS
        forms = forms[forms.index(form) :] if form in forms else forms
        sure = request.schema is not None
        for form in forms:
            try:
                reply = self._sent(form, request)
            except foreign_errors() as error:
                told = model_error(error, self.endpoint, self.name, self.seconds)
                crashed = getattr(error, "status_code", None) == CRASH and form not in IN_WORDS
                if not (crashed or isinstance(told, RequestRefusedError)):
                    raise told from None
                # A crash may be the form's doing; whether it was is found out anew next time.
                sure = sure and not crashed
            else:
                if sure:
                    self.server.learn(form=form)
                return reply
        raise told

    def _sent(self, form: str, request: Request) -> Reply:
        max_tokens = request.max_tokens + (THINKING if self._thinks else 0)
        options = self._options(form, request, max_tokens)
        reply, began = Reply(), time.monotonic()

        def seconds_left() -> float:
            """Until the first piece, retries included, or the end; of a question's time too."""
            patience = 1 if reply.waited is None else STREAM_PATIENCE
            left = request.budget.seconds_left()
            most = began + patience * self.seconds - time.monotonic()
            return most if left is None else min(most, left)

        def pieces() -> Generator[Reply]:
            yield from map(Reply.of, self._model.stream(request.messages, **options))

        with closing(in_background(pieces, Cancellation(), seconds_left)) as stream:
            reply.read_stream(stream, request.receive, 8 * max_tokens)
        self.server.time(reply)
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
        options: dict[str, Any] = {"stream_usage": form not in (BARE, WHOLE)}
        body: dict[str, Any] = {"stream": False} if form == WHOLE else {}
        if request.schema is not None and form not in IN_WORDS:
            options |= _asked_by(self._model, request.schema, form)
            if "response_format" in options:
                # Past the SDK's own parser, which loses a reply that was cut short.
                body["response_format"] = options.pop("response_format")
        options["timeout"] = openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        if form not in (BARE, WHOLE):
            options |= {name: each for name, each in self._chosen.items() if each is not None}
            # OpenAI's newer models refuse max_tokens; most other servers know nothing else.
            body["max_completion_tokens" if self.endpoint.is_openai else "max_tokens"] = max_tokens
        return {**options, "extra_body": body}


def _asked_by(model: Any, wanted: type[BaseModel], method: str) -> dict[str, Any]:
    """The options by which LangChain asks for such a reply; its own parser is not used."""
    strict = method == FORMS[0]
    schema: Any = wanted.model_json_schema() if strict else wanted
    chain = model.with_structured_output(schema, method=method, strict=strict or None)
    return dict(chain.first.kwargs)
