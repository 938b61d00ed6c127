"""Checks of the embedder, the reader's weights and the model: whether a configured one replies, or
else which models run on this machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from rag.doctor import Check, failed, passed
from rag.embed.builtin import builtin_embedder
from rag.embed.transformer import CrossEncoder, Transformer
from rag.embed.weights import EVERY, installed_model, reader_line
from rag.opening import choose_engine
from state.choices import EngineName
from state.errors import CragError
from state.settings import Settings

_PROBE_SECONDS = 60.0
"""The time limit of a small request, unless the settings say otherwise."""
_FILLER = "The line runs along the valley, past nine stations and over eleven bridges. " * 25
_PROBE = [
    ("system", "You grade retrieved documents: does the document answer the question?"),
    (
        "user",
        f"<document> document_1\n{_FILLER}\n</document>\nQuestion: How many bridges are there?",
    ),
]


def check_models(settings: Settings) -> Iterator[Check]:
    """Embeds one word; asks a configured endpoint for one small reply."""
    model = _replies if choose_engine(settings) is EngineName.OPENAI else _at_hand
    for part, look in (("embedder", _embedder), ("reader", _reader), ("model", model)):
        try:
            yield look(settings)
        except CragError as error:
            yield failed(part, error)


def _embedder(_settings: Settings) -> Check:
    embedder = builtin_embedder()
    embedder.embed_query("doctor")
    return passed("embedder", str(embedder.identity))


def _reader(settings: Settings) -> Check:
    """Check the reader's weights; without them all works, only not as well."""
    reader, judge = (installed_model(settings.home, weights) for weights in EVERY)
    if reader is not None:
        Transformer(reader.folder).read(["doctor"])
    if judge is not None:
        CrossEncoder(judge.folder).scores("doctor", ["doctor"])
    return passed("reader", reader_line(settings.home))


def _at_hand(_settings: Settings) -> Check:
    """Which servers run on this machine, and the command to answer with one of them."""
    from rag.endpoint.local_servers import PORTS, local_servers

    servers = local_servers()
    offers = [(each.base_url, name) for each in servers for name in each.models]
    if not offers:
        told = "none is set, and no server of models answers on this machine"
        return passed("model", told, f"start one ({', '.join(PORTS)}); crag model use URL NAME")
    found = "; ".join(f"{each.kind} with {', '.join(each.models)}" for each in servers)
    url, name = next((each for each in offers if "embed" not in each[1]), offers[0])
    return passed("model", f"none is set; here runs {found}", f"crag model use {url} {name}")


def _replies(settings: Settings) -> Check:
    """Send one made-up document of some 400 tokens, and none of the person's."""
    from rag.budget import Budget
    from rag.endpoint.address import chat_endpoint
    from rag.engines.openai.chat_model import ChatModel
    from rag.engines.openai.verdicts import ask_verdicts

    endpoint, patient = chat_endpoint(settings), settings.request_timeout or _PROBE_SECONDS
    asked = settings.model_copy(update={"request_timeout": patient, "max_retries": 0})
    chat = ChatModel(settings.model, endpoint, asked)
    chat.server.learn(form=None, reads=None, answers=None)  # found out anew
    try:
        verdicts = ask_verdicts(chat, _PROBE, "document", 1, Budget())
    finally:
        chat.close()
    told = f"{settings.model} at {endpoint.host} replies"
    if verdicts:
        return passed("model", told)
    mending = "Use another model, or --grader local"
    return failed("model", f"{told}, but its reply could not be read", mending)
