"""The servers of models on this machine, and what a server tells of itself: its kind, its models,
the length of a prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from rag.endpoint.address import NO_KEY, Endpoint
from rag.endpoint.failures import foreign_errors
from state.background import call_with_timeout

PORTS = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080, "vLLM": 8000}
"""The port where each kind listens by default."""
SECONDS = 0.2
"""How long to wait for a server on this machine to say what it is."""
MOST_MODELS = 20
AskServer = Callable[[str], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """`kind` is Ollama, llama.cpp, LM Studio, vLLM or None. `context` is how many tokens a
    prompt and its reply may have together, as the server runs now; None if it does not tell.
    """

    kind: str | None = None
    context: int | None = None


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server on this machine; `models` maps each model's name to its context."""

    kind: str
    base_url: str
    models: Mapping[str, int | None]

    def __str__(self) -> str:
        held = (f"{name} ({size:,} tokens)" if size else name for name, size in self.models.items())
        return f"{self.kind} at {self.base_url} with {', '.join(held)}"


def local_servers(ports: Mapping[str, int] = PORTS) -> list[LocalServer]:
    """The servers that reply at once at the usual ports of the four kinds; no other is asked."""
    with ThreadPoolExecutor(len(ports)) as pool:
        found = pool.map(lambda each: _server(*each), ports.items())
        return [server for server in found if server is not None]


def _server(kind: str, port: int) -> LocalServer | None:
    base_url = f"http://127.0.0.1:{port}/v1"
    endpoint = Endpoint(base_url, (), f"127.0.0.1:{port}", loopback=True, key=NO_KEY)
    with suppress(*foreign_errors()), _asker(endpoint) as ask:
        rows = ask("/v1/models").get("data")
        names: list[Any] = [row["id"] for row in rows] if isinstance(rows, list) else [None]
        if all(isinstance(name, str) for name in names):
            facts = {name: _facts(ask, name) for name in names[:MOST_MODELS]}
            kinds = [each.kind for each in facts.values() if each.kind]
            models = {name: each.context for name, each in facts.items()}
            return LocalServer([*kinds, kind][0], base_url, models)
    return None


def facts_of(endpoint: Endpoint, model: str) -> ServerFacts:
    """Ask a server, beside /v1, what the four kinds tell of themselves."""
    with suppress(*foreign_errors()), _asker(endpoint) as ask:
        return _facts(ask, model)
    return ServerFacts()


def _facts(ask: AskServer, model: str) -> ServerFacts:
    if props := ask("/props"):
        return ServerFacts("llama.cpp", _number(props, "default_generation_settings", "n_ctx"))
    if "version" in ask("/api/version"):
        running = _entry(ask("/api/ps").get("models"), model)
        return ServerFacts("Ollama", _number(running, "context_length"))
    entry = _entry(ask("/api/v0/models").get("data"), model)
    if "max_context_length" in entry:  # no server that replies there as to /v1/models
        return ServerFacts("LM Studio", _number(entry, "loaded_context_length"))
    entry = _entry(ask("/v1/models").get("data"), model)
    longest = _number(entry, "max_model_len")
    return ServerFacts("vLLM" if longest else None, longest)


@contextmanager
def _asker(endpoint: Endpoint) -> Iterator[AskServer]:
    from rag.endpoint.bounded_client import BoundedClient

    root = endpoint.base_url.rstrip("/").removesuffix("/v1")
    headers = {"Authorization": f"Bearer {endpoint.key.get_secret_value()}"}

    def ask(path: str) -> dict[str, Any]:
        """The object that is replied; an empty one for all else. Raises where nobody replies."""
        reply = call_with_timeout(SECONDS, lambda: client.get(root + path))
        with suppress(ValueError, RecursionError):
            if reply.status_code == 200 and isinstance(found := reply.json(), dict):
                return found
        return {}

    with BoundedClient(endpoint.base_url, headers=headers, timeout=SECONDS) as client:
        yield ask


def _entry(rows: Any, model: str) -> dict[str, Any]:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and model in (row.get("id"), row.get("name"), row.get("model")):
            return row
    return {}


def _number(held: Mapping[str, Any], *path: str) -> int | None:
    found: Any = held
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, int) and found > 0 else None
