"""The embedder, the reader, and the model's server if the settings name one: is the model offered,
in which form does it reply, how fast, and how much may a prompt hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.doctor import Check, ill, well
from rag.embed.transformer import Transformer
from rag.embed.weights import OFFER, held_model
from rag.opening import choose_engine
from state.choices import EngineName
from state.errors import CragError, ModelError
from state.settings import Settings

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder
    from rag.endpoint.address import Endpoint
    from rag.endpoint.local_servers import ServerFacts

NEEDED_CONTEXT = 4_096
"""Tokens of the longest prompt of the usual settings, with its reply."""
SLOW = 15.0
"""Tokens a second below which a question takes minutes."""
_SECONDS = 10.0
_PROBE_SECONDS = 60.0
"""What a small request may take, where the settings do not say otherwise."""
_SHOWN = 8
_SAID = {
    "json_schema": "replies by JSON schema",
    "function_calling": "replies by calling a function",
    "text": "takes no schema; asked in words",
}
_FILLER = "The line runs along the valley, past nine stations and over eleven bridges. " * 25
_PROBE = [
    ("system", "You grade retrieved documents: does the document answer the question?"),
    (
        "user",
        f"<document> document_1\n{_FILLER}\n</document>\nQuestion: How many bridges are there?",
    ),
]


def check_models(settings: Settings, embedder: Embedder) -> Iterator[Check]:
    """Embeds one word; asks a configured endpoint for its models and for one small reply."""
    yield _embedder(embedder)
    yield _reader(settings)
    if choose_engine(settings).name is EngineName.OPENAI:
        from rag.endpoint.address import chat_endpoint

        try:
            endpoint = chat_endpoint(settings)
        except CragError as error:
            yield ill("model", error)
            return
        offered = _offered(endpoint, settings.model)
        yield offered
        if offered.ok:
            yield from _replies(endpoint, settings)
    else:
        yield _at_hand()


def _embedder(embedder: Embedder) -> Check:
    try:
        embedder.embed_query("doctor")
    except CragError as error:
        return ill("embedder", error)
    return well("embedder", str(embedder.identity))


def _reader(settings: Settings) -> Check:
    """Without its weights all works, only not as well."""
    held = held_model(settings.home)
    if held is None:
        return well("reader", OFFER)
    try:
        Transformer(held.folder).read(["doctor"])
    except CragError as error:
        return ill("reader", error)
    return well("reader", held.name)


def _at_hand() -> Check:
    """What runs on this machine, and how it would answer from now on."""
    from rag.endpoint.local_servers import PORTS, local_servers

    servers = local_servers()
    offers = [(each.base_url, name) for each in servers for name in each.models]
    if not offers:
        told = "none is set, and no server of models answers on this machine"
        return well("model", told, f"start one ({', '.join(PORTS)}); crag model use URL NAME")
    found = "; ".join(f"{each.kind} with {', '.join(each.models)}" for each in servers)
    url, name = next((each for each in offers if "embed" not in each[1]), offers[0])
    return well("model", f"none is set; here runs {found}", f"crag model use {url} {name}")


def _offered(endpoint: Endpoint, model: str) -> Check:
    import openai

    from rag.endpoint.address import sdk_client
    from rag.endpoint.failures import failure, foreign_errors

    try:
        with sdk_client(endpoint, max_retries=0) as client:
            names = sorted({offered.id for offered in client.models.list(timeout=_SECONDS)})
    except openai.NotFoundError:  # not every server has such a list
        return well("model", f"{endpoint.host} answers, but lists no models")
    except foreign_errors() as error:
        return ill("model", failure(error, endpoint, model))
    if model in names:
        return well("model", f"{model} at {endpoint.host}")
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    offered = f"does not offer {model}, but {', '.join(names[:_SHOWN])}{more}"
    told = f"{endpoint.host} {offered if names else 'offers no model'}"
    return ill("model", told, f"Set CRAG_MODEL to one it offers, or have it load {model}")


def _replies(endpoint: Endpoint, settings: Settings) -> Iterator[Check]:
    """Sends one made-up document of some 400 tokens; no document of the person's."""
    from rag.budget import Budget, recorded
    from rag.endpoint.local_servers import facts_of
    from rag.engines.openai.chat_model import LINE, ChatModel
    from rag.engines.openai.verdicts import read_verdicts, sheet

    patient = settings.request_timeout or _PROBE_SECONDS
    asked = settings.model_copy(update={"request_timeout": patient, "max_retries": 0})
    chat = ChatModel(settings.model, endpoint, asked)
    chat.learn(form=None, slow=False, answers=None)  # found out anew
    try:
        with recorded() as calls:
            reply = chat.ask(_PROBE, Budget(), LINE, sheet("document", 1))
    except ModelError as error:
        yield ill("model: replies", error)
        return
    finally:
        chat.close()
    tokens = sum(call["input_tokens"] + call["output_tokens"] for call in calls)
    speed = 1000 * tokens / max(sum(call["ms"] for call in calls), 1.0)
    form = _SAID[(chat.known.form or "text").split()[0]]
    thinks = "; thinks before it replies" if reply.thinks else ""
    detail = f"{form}{thinks}; {speed:,.0f} tokens a second"
    if not read_verdicts("document", 1, reply.fields()):
        told = f"{detail}; its reply could not be read"
        yield ill("model: replies", told, "Use another model, or --grader local")
    elif speed < SLOW:
        slow = "Use a smaller model, or raise CRAG_REQUEST_TIMEOUT"
        yield ill("model: replies", detail, slow)
    else:
        yield well("model: replies", detail)
    yield _context(facts_of(endpoint, settings.model, _SECONDS))


def _context(facts: ServerFacts) -> Check:
    part = "model: context"
    if facts.context is None:
        return well(part, f"{facts.kind or 'the server'} does not tell its size")
    if facts.context < NEEDED_CONTEXT:
        short = f"{facts.context:,} tokens; a question takes up to {NEEDED_CONTEXT:,}"
        return ill(part, short, "Start the server with a context of 8192 tokens")
    return well(part, f"{facts.context:,} tokens ({facts.kind})")
