"""What a model's server tells of itself, by the questions that each kind answers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rag.endpoint.address import Endpoint, http_client
from rag.endpoint.failures import foreign_errors

SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """`kind`: Ollama, llama.cpp, LM Studio, vLLM, or None; `context`: tokens that a prompt and
    its reply may have together, as it runs now, None where it does not tell.
    """

    kind: str | None = None
    context: int | None = None

    @property
    def longer_context(self) -> str:
        """The command, or the deed, that gives it a context that is long enough."""
        return {
            "Ollama": "OLLAMA_CONTEXT_LENGTH=8192 ollama serve",
            "llama.cpp": "llama-server -c 8192 ...",
            "vLLM": "vllm serve ... --max-model-len 8192",
            "LM Studio": "lms load MODEL --context-length 8192",
        }.get(self.kind or "", "Start the server with a context of 8192 tokens")

    def fetching(self, model: str) -> str:
        """What makes the server offer `model`."""
        wanted = {"Ollama": f"ollama pull {model}", "LM Studio": f"lms get {model}"}
        other = wanted.get(self.kind or "")
        return f"Set CRAG_MODEL to one it offers{f', or `{other}`' if other else ''}"


def facts_of(endpoint: Endpoint, model: str) -> ServerFacts:
    """Asks beside /v1 what the four kinds answer; nothing is asked of OpenAI."""
    if endpoint.is_openai:
        return ServerFacts("OpenAI")
    root = endpoint.base_url.rstrip("/").removesuffix("/v1")
    headers = {"Authorization": f"Bearer {endpoint.key.get_secret_value()}"}
    with http_client(endpoint) as client:

        def told(path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
            with suppress(*foreign_errors()):
                reply = client.request(
                    "POST" if body else "GET",
                    root + path,
                    json=body,
                    headers=headers,
                    timeout=SECONDS,
                )
                if reply.status_code == 200 and isinstance(found := reply.json(), dict):
                    return found
            return {}

        if props := told("/props"):
            return ServerFacts("llama.cpp", _number(props, "default_generation_settings", "n_ctx"))
        if "version" in told("/api/version"):
            running = _entry(told("/api/ps").get("models"), model)
            shown = told("/api/show", {"model": model})
            context = _number(running, "context_length") or _parameter(shown, "num_ctx")
            return ServerFacts("Ollama", context)
        if (offered := told("/api/v0/models")) and "data" in offered:
            entry = _entry(offered["data"], model)
            return ServerFacts("LM Studio", _number(entry, "loaded_context_length"))
        entry = _entry(told("/v1/models").get("data"), model)
        longest = _number(entry, "max_model_len")
        return ServerFacts("vLLM" if longest else None, longest)


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


def _parameter(shown: Mapping[str, Any], name: str) -> int | None:
    """Of an Ollama Modelfile, whose parameters are lines of text."""
    lines = shown.get("parameters")
    values = (line.split() for line in lines.splitlines()) if isinstance(lines, str) else ()
    return next((int(v[1]) for v in values if v[:1] == [name] and v[1:] and v[1].isdigit()), None)
