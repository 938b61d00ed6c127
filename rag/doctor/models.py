"""The embedder, the model endpoint and the Chroma server, if the settings name them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.doctor.check import Check, ill, well
from rag.engines.factory import choose_engine
from state.errors import CragError
from state.settings import EngineName, Settings

if TYPE_CHECKING:
    import httpx

    from rag.embed.protocol import Embedder

_SECONDS = 10.0


def check_models(settings: Settings, embedder: Embedder) -> Iterator[Check]:
    """Embeds one word; asks a configured endpoint for its list of models, nothing else."""
    yield _embedder(embedder)
    if choose_engine(settings).name is EngineName.OPENAI:
        yield _endpoint(settings)
    if settings.store is not None:
        from rag.index.vectors import check_server

        try:
            check_server(settings.store)
        except CragError as error:
            yield ill("store", error.message, error.mend)
        else:
            yield well("store", settings.store)


def _embedder(embedder: Embedder) -> Check:
    try:
        vector = embedder.embed_query("doctor")
    except CragError as error:
        return ill("embedder", error.message, error.mend)
    length = float((vector * vector).sum()) ** 0.5
    if len(vector) != embedder.identity.dimension or not 0.99 < length < 1.01:
        shape = f"{len(vector)} numbers of length {length:.2f}"
        return ill("embedder", f"{embedder.identity} gave {shape}", "Install crag again")
    return well("embedder", str(embedder.identity))


def _endpoint(settings: Settings) -> Check:
    from rag.endpoint.address import chat_endpoint, http_client

    try:
        endpoint = chat_endpoint(settings)
    except CragError as error:
        return ill("model", error.message, error.mend)
    import httpx

    with http_client(endpoint) as client:
        try:
            reply = client.get(
                endpoint.base_url.rstrip("/") + "/models",
                params=dict(endpoint.query),
                headers={"Authorization": f"Bearer {endpoint.key.get_secret_value()}"},
                timeout=_SECONDS,
            )
        except httpx.HTTPError as error:
            why = type(error).__name__
            return ill("model", f"{endpoint.host} cannot be reached ({why})", "Check base_url")
    return _verdict(reply, endpoint.host, settings.model)


def _verdict(reply: httpx.Response, host: str, model: str) -> Check:
    if reply.status_code in (401, 403):
        return ill("model", f"{host} refuses the key", "Set OPENAI_API_KEY or api_key")
    if reply.status_code >= 500:
        return ill("model", f"{host} answers {reply.status_code}", "Try again later")
    try:
        names = {str(each["id"]) for each in reply.json()["data"]}
    except (ValueError, KeyError, TypeError):
        return well("model", f"{host} answers, but lists no models")
    if model not in names:
        return ill("model", f"{host} does not offer {model}", "Set CRAG_MODEL to one it offers")
    return well("model", f"{model} at {host}")
