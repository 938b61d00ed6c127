"""All checks in order: the home, its index and threads, the models. Each only looks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator

from rag.doctor.indexes import Check, check_collections, check_store
from rag.embed.builtin import builtin_embedder
from rag.embed.transformer import CrossEncoder, Transformer
from rag.embed.weights import installed_models, reader_line
from rag.index.home.catalog import Catalog
from rag.opening import choose_engine
from state.choices import EngineName
from state.errors import CragError
from state.home_db import HomeDb
from state.settings import Settings
from state.sqlite_file import SqliteFile

LEAST_FREE = 500 << 20
_WRITABLE = "Make it writable, or choose another --home"
_PROBE_SECONDS = 60.0
"""The time limit of a small request, unless the settings say otherwise."""


def examine(settings: Settings) -> Iterator[Check]:
    """Check every part; one that cannot be looked at has failed."""
    for part, look in _PARTS.items():
        try:
            yield from look(settings)
        except CragError as error:
            yield Check(part, error.message, error.hint, ok=False)
        except OSError as error:
            yield Check(part, f"{error.filename}: {error.strerror}", _WRITABLE, ok=False)


def _check_home(settings: Settings) -> Iterator[Check]:
    """Check the home's folder and disk; a home that does not exist is well if it can be made."""
    home = settings.home
    existing = next(path for path in (home, *home.parents) if path.exists())
    looked_at = (existing, *home.rglob("*"))
    shut = next((path for path in looked_at if not os.access(path, os.W_OK)), None)
    if shut:  # another person's, as after `sudo crag`
        yield Check("home", f"{shut} cannot be written", _WRITABLE, ok=False)
    else:
        yield Check("home", str(home))
    free = shutil.disk_usage(existing).free
    mend = None if free >= LEAST_FREE else "Free some space, or choose another --home"
    yield Check("disk", f"{free / 1e9:.1f} GB free", mend, ok=mend is None)


def _check_index(settings: Settings) -> Iterator[Check]:
    catalog, identity = check_file("catalog", Catalog(settings.home)), builtin_embedder().identity
    yield catalog
    if settings.store is not None:
        yield from check_store(settings.store, settings.store_schema, identity)
    elif catalog.ok:
        yield from check_collections(settings.home, identity, settings.chroma_url)


def check_file(part: str, file: SqliteFile) -> Check:
    """Check a file of the home by SQLite's own means."""
    if not file.path.exists():
        return Check(part, "nothing is kept yet")
    with file:
        faults = file.integrity_errors()
    if faults:
        return Check(part, f"{file.path}: {' '.join(faults[0].split())}", file.damaged, ok=False)
    return Check(part, f"{file.path.name} is sound")


def check_embedder(_settings: Settings) -> Iterator[Check]:
    """Embeds one word."""
    embedder = builtin_embedder()
    embedder.embed_query("doctor")
    yield Check("embedder", str(embedder.identity))


def check_reader(settings: Settings) -> Iterator[Check]:
    """Check the reader's weights; without them all works, only not as well."""
    if held := installed_models(settings.home):
        reader, judge = held
        Transformer(reader.folder).read(["doctor"])
        CrossEncoder(judge.folder).scores("doctor", ["doctor"])
    yield Check("reader", reader_line(settings.home))


def check_servers(_settings: Settings) -> Iterator[Check]:
    """Ask the servers of models on this machine, at the ports where they listen."""
    from rag.endpoint.local_servers import PORTS, local_servers

    told = "; ".join(map(str, local_servers()))
    yield Check("servers", told or f"none here of {', '.join(PORTS)}")


def check_model(settings: Settings) -> Iterator[Check]:
    """Ask a model that is set for one word, and send it nothing of the person's."""
    if choose_engine(settings) is not EngineName.OPENAI:
        yield Check("model", "none is set", "crag model use URL NAME")
        return
    from rag.budget import Budget
    from rag.endpoint.address import chat_endpoint
    from rag.engines.openai.chat_model import LINE, ChatModel, Request

    endpoint, patient = chat_endpoint(settings), settings.request_timeout or _PROBE_SECONDS
    asked = settings.model_copy(update={"request_timeout": patient, "max_retries": 0})
    chat = ChatModel(settings.model, endpoint, asked)
    chat.server.learn(form=None, reads=None, answers=None)  # found out anew
    try:
        reply = chat.ask(Request([("user", "Reply with one word.")], Budget(), LINE))
    finally:
        chat.close()
    told = f"{settings.model} at {endpoint.host} replies"
    if reply.text:
        yield Check("model", told)
    else:
        yield Check("model", f"{told}, but with no text", "Use another model", ok=False)


_PARTS: dict[str, Callable[[Settings], Iterable[Check]]] = {
    "home": _check_home,
    "index": _check_index,
    "threads": lambda settings: [check_file("threads", HomeDb(settings.home))],
    "embedder": check_embedder,
    "reader": check_reader,
    "servers": check_servers,
    "model": check_model,
}
