"""Grades by OpenAI's Decisions API: a probability for every document, and not a word to read.

It writes no text, so there is no reason and no better query; a server that has no such API says
so with a 404.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rag.endpoint.address import http_client, no_async_client
from rag.endpoint.failures import Failure, describe
from rag.engines.openai.batch_judge import Ask, BatchJudge, Found
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import Messages, sendable
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.openai.verdict_schemas import Form, Verdict
from state.errors import ModelAccessError

if TYPE_CHECKING:
    from langchain_openai import OpenAIDecisions
    from langchain_openai.decisions import DecisionResponse

LIKELY = 0.5
_SUFFICIENT = "sufficient"


class Decisions(BatchJudge):
    """A BatchJudge whose verdicts carry a probability."""

    def __init__(self, chat: ChatModel) -> None:
        super().__init__(chat)
        self._endpoint = chat.endpoint
        self._client = http_client(chat.endpoint)
        self._attempts = replace(chat.attempts, operation="decisions", describe=self._describe)

    def close(self) -> None:
        self._client.close()
        super().close()

    def _together(
        self, form: Form, group: Sequence[int], ask: Ask, meter: UsageMeter, found: Found
    ) -> None:
        names = {f"{form.noun}_{number}": item for number, item in enumerate(group, 1)}
        asked = {name: f"{name} states something that answers the question" for name in names}
        if _SUFFICIENT in form.extras:
            asked[_SUFFICIENT] = "the documents together answer the whole question"
        for name, likely in self._asked(ask(group), asked, meter).items():
            if name in names:
                found.verdicts[names[name]] = Verdict(likely >= LIKELY, confidence=likely)
            elif name in asked:
                found.extras.setdefault(name, likely >= LIKELY)

    def _asked(
        self, messages: Messages, asked: Mapping[str, str], meter: UsageMeter
    ) -> dict[str, float]:
        """The probability of each statement; one that was refused is absent."""
        from langchain_openai.decisions import Predicate

        messages = sendable(messages)

        def attempt(seconds: float) -> DecisionResponse:
            meter.budget.check()
            questions: Any = {name: Predicate(instructions=text) for name, text in asked.items()}
            told = "\n\n".join(text for _, text in messages)
            return self._model(seconds).invoke({"input": told, "questions": questions})

        def used(reply: DecisionResponse) -> Any:
            read, wrote = reply.usage.input_tokens or 0, reply.usage.output_tokens or 0
            return {"input_tokens": read, "output_tokens": wrote}, ""

        reply = self._attempts.run(attempt, used, messages, meter)
        return {name: answer.probability for name, answer in reply.predicates.items()}

    def _model(self, seconds: float) -> OpenAIDecisions:
        from langchain_core._api import suppress_langchain_beta_warning
        from langchain_openai import OpenAIDecisions

        with suppress_langchain_beta_warning():
            return OpenAIDecisions(
                model=self._chat.name,
                base_url=self._endpoint.base_url,
                api_key=self._endpoint.key,
                default_query=dict(self._endpoint.query) or None,
                http_client=self._client,
                http_async_client=no_async_client(),
                timeout=seconds,
                max_retries=0,
            )

    def _describe(self, error: Exception) -> Failure:
        failure = describe(error, self._endpoint, self._chat.name, self._attempts.seconds)
        if failure.status not in (404, 405):
            return failure
        return Failure(
            ModelAccessError(
                f"{self._chat.who} has no Decisions API ({failure.status}){failure.said}.",
                "Name a model of OpenAI's that has one as grade_model, or use --grader model.",
            ),
            status=failure.status,
        )
