"""The embedder, and the model endpoint if the settings name one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.doctor.part_check import Check, few, ill, well
from rag.engines.factory import choose_engine
from rag.reading.transformer import Transformer
from rag.reading.weights import OFFER, held_model
from state.choices import EngineName
from state.errors import CragError
from state.settings import Settings

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder

_SECONDS = 10.0
_PROBE_SECONDS = 60.0
"""What a small request may take, where the settings do not say otherwise."""


def check_models(settings: Settings, embedder: Embedder) -> Iterator[Check]:
    """Embeds one word; asks a configured endpoint for its models and for two small replies."""
    yield _embedder(embedder)
    yield _reader(settings)
    if choose_engine(settings).name is EngineName.OPENAI:
        offered = _endpoint(settings)
        yield offered
        if offered.ok:
            yield from _replies(settings)


def _embedder(embedder: Embedder) -> Check:
    try:
        vector = embedder.embed_query("doctor")
    except CragError as error:
        return ill("embedder", error.message, error.hint)
    length = float((vector * vector).sum()) ** 0.5
    if len(vector) != embedder.identity.dimension or not 0.99 < length < 1.01:
        shape = f"{len(vector)} numbers of length {length:.2f}"
        return ill("embedder", f"{embedder.identity} gave {shape}", "Install crag again")
    return well("embedder", str(embedder.identity))


def _reader(settings: Settings) -> Check:
    """Without its weights all works, only not as well."""
    held = held_model(settings.home)
    if held is None:
        return well("reader", OFFER)
    try:
        Transformer(held.folder).vectors(["doctor"])
    except CragError as error:
        return ill("reader", error.message, error.hint)
    return well("reader", held.name)


def _endpoint(settings: Settings) -> Check:
    from rag.doctor.server import facts_of
    from rag.endpoint.address import chat_endpoint, http_client
    from rag.endpoint.failures import describe, foreign_errors

    try:
        endpoint = chat_endpoint(settings)
    except CragError as error:
        return ill("model", error.message, error.hint)
    import openai

    try:
        with openai.OpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.key.get_secret_value(),
            default_query=dict(endpoint.query),
            http_client=http_client(endpoint),
            max_retries=0,
            timeout=_SECONDS,
        ) as client:
            names = {model.id for model in client.models.list()}
    except openai.NotFoundError:  # not every server has such a list
        return well("model", f"{endpoint.host} answers, but lists no models")
    except foreign_errors() as error:
        failure = describe(error, endpoint, settings.model).error
        return ill("model", failure.message, failure.hint)
    if settings.model not in names:
        offered = f"{endpoint.host} does not offer {settings.model}, but {few(sorted(names), 8)}"
        if not names:
            offered = f"{endpoint.host} offers no model"
        return ill("model", offered, facts_of(endpoint, settings.model).fetching(settings.model))
    return well("model", f"{settings.model} at {endpoint.host}")


def _replies(settings: Settings) -> Iterator[Check]:
    from rag.doctor.server import check_replies
    from rag.endpoint.address import chat_endpoint
    from rag.engines.openai.chat_model import ChatModel

    patient = settings.request_timeout or _PROBE_SECONDS
    asked = settings.model_copy(update={"request_timeout": patient, "max_retries": 0})
    yield from check_replies(ChatModel(settings.model, chat_endpoint(settings), asked))
