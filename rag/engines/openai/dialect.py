"""How one model's server is asked: in which form, with which parameters, as it was found out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

from rag.endpoint.address import CONNECT_SECONDS, Endpoint
from rag.endpoint.failures import Failure, foreign_errors
from rag.endpoint.servers import KnownServers, ServerTraits
from rag.engines.openai.output_limits import THINKING
from rag.engines.openai.reply_forms import ReplyForm, forms_from
from state.settings import Settings

T = TypeVar("T")

_OPTIONAL = (
    "temperature",
    "max_completion_tokens",
    "max_tokens",
    "reasoning_effort",
    "stream_options",
    "chat_template_kwargs",
)
"""Parameters that a reply can do without."""
_HOSTED_THINKERS = re.compile(r"o\d|gpt-5")


@dataclass(frozen=True, slots=True)
class Limits:
    """Of a reply: tokens besides thinking, the temperature (None: the server's), and whether
    it is so `brief` that it needs no thought.
    """

    tokens: int
    temperature: float | None = 0.0
    brief: bool = False


class Dialect:
    """Thread-safe. What is learned is kept for the next process."""

    def __init__(self, model: str, endpoint: Endpoint, settings: Settings) -> None:
        self._model = model
        self._endpoint = endpoint
        self._effort = settings.reasoning_effort
        self._known = KnownServers(settings.home)
        self._traits: ServerTraits | None = None
        self._walked = False
        self._lock = Lock()

    @property
    def traits(self) -> ServerTraits:
        with self._lock:
            if self._traits is None:
                self._traits = self._known.get(self._endpoint, self._model)
                if self._endpoint.is_openai and _HOSTED_THINKERS.match(self._model):
                    self._traits = replace(self._traits, thinks=True)
            return self._traits

    @property
    def thinks(self) -> bool:
        return self.traits.thinks

    def learn(self, traits: ServerTraits, *, keep: bool = True) -> None:
        if traits == self.traits:
            return
        with self._lock:
            self._traits = traits
        if keep:
            self._known.put(self._endpoint, self._model, traits)

    def learn_thinking(self) -> None:
        self.learn(replace(self.traits, thinks=True))

    def learn_unheeded(self) -> None:
        """The server took the last form and did not keep to it: the next one from now on."""
        forms = forms_from(self.traits.form, self._model)
        self.learn(replace(self.traits, form=forms[min(1, len(forms) - 1)]))

    def room(self, most: int) -> int:
        """Tokens of a reply that may take `most` besides thinking."""
        return most + THINKING if self.thinks else most

    def parameters(self, limits: Limits, seconds: float) -> dict[str, Any]:
        """Of one request, for LangChain's model; `limits` count thinking in already."""
        import openai

        timeout = openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        found: dict[str, Any] = {"timeout": timeout}
        if limits.temperature is not None and self.takes("temperature"):
            found["temperature"] = limits.temperature
        if self._effort is not None and self.takes("reasoning_effort"):
            found["reasoning_effort"] = self._effort
        limit = self._limit()
        found["extra_body"] = {} if limit is None else {limit: limits.tokens}
        # As the templates of Qwen and others know it; servers that do not, leave it be.
        hushed = self.takes("chat_template_kwargs") and not self._endpoint.is_openai
        if limits.brief and self.thinks and hushed:
            found["extra_body"]["chat_template_kwargs"] = {"enable_thinking": False}
        return found

    def _limit(self) -> str | None:
        # OpenAI's newer models refuse max_tokens; most other servers know nothing else.
        names = ["max_tokens", "max_completion_tokens"]
        if self._endpoint.is_openai:
            names.reverse()
        return next(filter(self.takes, names), None)

    def takes(self, parameter: str) -> bool:
        return parameter not in self.traits.refused

    def asked(
        self,
        send: Callable[[ReplyForm], T],
        describe: Callable[[Exception], Failure],
        *,
        shaped: bool = False,
        streamed: bool = False,
    ) -> T:
        """The reply to `send`, if `shaped` in the first form that the server takes; a form or
        parameter that it refuses is left at once, and not tried again.

        Raises:
            Exception: whatever `send` raised last.
        """
        forms = forms_from(self.traits.form, self._model) if shaped else [ReplyForm.TEXT]
        proven = self.traits.form is not None
        learned, sure = self.traits, True
        while True:
            form, *others = forms
            try:
                reply = send(form)
            except foreign_errors() as error:
                failure = describe(error)
                if (name := self._refused(failure, streamed=streamed)) is not None:
                    learned = replace(self.traits, refused=(*self.traits.refused, name))
                    self.learn(learned, keep=False)
                    continue
                # A crash may be the form's doing, once; after that it is the server's.
                crashed = failure.status == 500 and not proven and not self._walked
                if not others or not (failure.is_about_the_form or crashed):
                    self._walked = True
                    raise
                sure &= failure.is_about_the_form
                forms = others
                continue
            if shaped and self.traits.form != form:
                self.learn(replace(self.traits, form=form), keep=sure)
            elif learned != self._known.get(self._endpoint, self._model):
                self._known.put(self._endpoint, self._model, self.traits)
            return reply

    def _refused(self, failure: Failure, *, streamed: bool) -> str | None:
        """The parameter that a server refused by name; "Extra inputs are not permitted" to a
        stream without tools means the options of the stream.
        """
        if not failure.is_about_the_form or failure.status not in (400, 422):
            return None
        words = failure.said.casefold()
        sent = list(filter(self.takes, _OPTIONAL))
        if self._limit() in sent:  # one of the two is sent, and the other may be recommended
            sent = [n for n in sent if not n.startswith("max_") or n == self._limit()]
        for name in sent:
            if re.search(rf"\b{name}\b", words):
                return name
        extra = streamed and "stream_options" in sent and "extra" in words
        return "stream_options" if extra else None
