"""What a model's server tells of itself, by the questions that each kind answers, and what it does
with a small request: forms of reply, thinking, speed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rag.budget import Budget
from rag.doctor.part_check import Check, ill, well
from rag.endpoint.address import Endpoint, http_client
from rag.endpoint.failures import foreign_errors
from rag.endpoint.servers import ServerTraits
from rag.engines.openai import output_limits
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import Messages
from rag.engines.openai.replies import fields
from rag.engines.openai.reply_forms import ReplyForm
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.openai.verdict_schemas import GRADE_FORM, model_of, verdicts
from state.errors import ModelError

SECONDS = 10.0
NEEDED_CONTEXT = 4_096
"""Tokens of the longest prompt of the usual settings, with its reply."""
SLOW = 15.0
"""Prompt tokens a second below which a question takes minutes."""
_SAID = {
    ReplyForm.SCHEMA: "replies by JSON schema",
    ReplyForm.TEXT: "takes no JSON schema; asked in words",
}
_FILLER = "The line runs along the valley, past nine stations and over eleven bridges. " * 25
_PROBE: Messages = [
    ("system", "You grade retrieved documents: does the document answer the question?"),
    (
        "user",
        f"<document> document_1\n{_FILLER}\n</document>\nQuestion: How many bridges are there?",
    ),
]


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
                method = "POST" if body else "GET"
                reply = client.request(
                    method, root + path, json=body, headers=headers, timeout=SECONDS
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


def check_replies(chat: ChatModel) -> Iterator[Check]:
    """Sends one made-up document of some 400 tokens, twice; no document of the person's."""
    facts = facts_of(chat.endpoint, chat.name)
    chat.dialect.learn(ServerTraits(), keep=False)  # found out anew
    meter = UsageMeter(Budget())
    try:
        reply = chat.ask(_PROBE, meter, output_limits.verdicts(1), model_of(GRADE_FORM, 1))
        speed = _speed(chat, meter)
    except ModelError as error:
        yield ill("model: replies", error.message, error.hint)
        return
    form = ReplyForm(chat.dialect.traits.form or ReplyForm.TEXT)
    readable = bool(verdicts(GRADE_FORM, 1, fields(reply)))
    thinks = "; thinks before it replies" if chat.dialect.thinks else ""
    if readable:
        yield well("model: replies", f"{_SAID[form]}{thinks}")
    else:
        detail = f"{_SAID[form]}, and its reply could not be read{thinks}"
        yield ill("model: replies", detail, "Use another model, or --grader local")
    read, wrote = speed
    rate = f"reads {read:,.0f} and writes {wrote:,.0f} tokens a second"
    if read < SLOW:
        yield ill("model: speed", rate, "Use a smaller model, or raise CRAG_REQUEST_TIMEOUT")
    else:
        yield well("model: speed", rate)
    yield _context(facts)


def _context(facts: ServerFacts) -> Check:
    part = "model: context"
    if facts.kind == "OpenAI":
        return well(part, "OpenAI's models take more than a question needs")
    if facts.context is None:
        return well(part, f"{facts.kind or 'the server'} does not tell its size")
    if facts.context < NEEDED_CONTEXT:
        short = f"{facts.context:,} tokens; a question takes up to {NEEDED_CONTEXT:,}"
        return ill(part, short, facts.longer_context)
    return well(part, f"{facts.context:,} tokens ({facts.kind})")


def _speed(chat: ChatModel, meter: UsageMeter) -> tuple[float, float]:
    """Tokens a second, read and written; the server has not seen this prompt's beginning."""
    prompt: Messages = [
        ("system", "You repeat what you are told."),
        ("user", f"{_FILLER}\nQuestion: Can you write the first sentence above four times?"),
    ]
    pieces: list[float] = []
    began = time.perf_counter()
    before = meter.inputs, meter.outputs
    chat.stream(prompt, meter, output_limits.LINE, lambda _: pieces.append(time.perf_counter()))
    read, wrote = meter.inputs - before[0], meter.outputs - before[1]
    first, last = (pieces[0], pieces[-1]) if pieces else (time.perf_counter(),) * 2
    return read / max(first - began, 0.001), wrote / max(last - first, 0.001)
