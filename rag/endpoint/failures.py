"""Failures of an endpoint, each as a ModelError of one line: host, model, what mends it."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from rag.endpoint.address import Endpoint
from state.errors import (
    ModelAccessError,
    ModelError,
    ModelLateError,
    PromptTooLongError,
    RequestRefusedError,
)

ErrorParts = tuple[type[ModelError], str, str]
"""The kind of a failure, what it is, and what mends it."""
SHOWN = 200
LEAST_SECRET = 8
"""The length from which a key is struck out of messages; "x", "none" and "EMPTY" are no secrets."""
_TOO_LONG = re.compile(r"context.{0,9}(length|window|size)|too (long|many tokens)", re.IGNORECASE)
_STATUS: dict[int, tuple[str, str]] = {
    401: ("refused the key (401)", "Check OPENAI_API_KEY or api_key."),
    403: ("is not open to this key (403){}", "Use another model or key."),
    404: ("was not found (404){}", "Check model and base_url (…/v1), or pull it."),
}
"""Status codes that end the run at once. With 401 the server's words may quote the key."""
_CAUSES: tuple[tuple[str, str, str], ...] = (
    ("ProxyError", "the proxy failed", "Check HTTP_PROXY and HTTPS_PROXY, or use NO_PROXY."),
    ("certificate", "its TLS certificate is not trusted", "Check base_url and the certificate."),
    (
        "Refused",
        "the connection was refused",
        "Start the server there, or check base_url and the proxy of HTTP_PROXY.",
    ),
    ("gaierror", "the host name is not known", "Check base_url and the network."),
)


@lru_cache(maxsize=1)
def foreign_errors() -> tuple[type[Exception], ...]:
    """What the libraries below raise: their own classes, and what they let through when a server
    sends something that is no reply (ValueError, IndexError, ...).
    """
    import httpx2
    import openai
    from langchain_core.exceptions import LangChainException

    own = (openai.OpenAIError, LangChainException, httpx2.HTTPError)
    return (*own, ValueError, TypeError, LookupError, AttributeError, RuntimeError, OSError)


def model_error(
    error: Exception, endpoint: Endpoint, model: str, seconds: float | None = None
) -> ModelError:
    """The ModelError for a foreign exception; `seconds` is what a request may take."""
    import openai

    who = f"Model {model} at {endpoint.host}"
    if isinstance(error, openai.APIStatusError):
        kind, what, hint = _status_parts(error, endpoint)
    else:
        kind, what, hint = _unanswered_parts(error, endpoint, seconds)
    return kind(f"{who}{what}.", hint)


def _unanswered_parts(error: Exception, endpoint: Endpoint, seconds: float | None) -> ErrorParts:
    """The parts of an error for a request that got no failure status."""
    import httpx2
    import openai

    causes = _causes(error)
    kinds = " ".join(type(cause).__name__ for cause in causes)
    invalid = isinstance(error, openai.APIResponseValidationError)
    kind: type[ModelError] = ModelError
    what = " sent a reply that is no chat completion"
    hint = f"Check base_url: does {endpoint.host} speak the OpenAI protocol there (…/v1)?"
    if isinstance(error, openai.APITimeoutError) or re.search("(?:Read|Write)Timeout", kinds):
        what = " did not reply in time" + ("" if seconds is None else f" ({seconds:g} s)")
        kind, hint = ModelLateError, "Raise CRAG_REQUEST_TIMEOUT, or try later."
    elif type(error).__name__ == "UnboundedError":
        what, hint = f" failed: {error}", "Check base_url."
    elif "ReadError" in kinds or "RemoteProtocolError" in kinds:
        what, hint = " failed: the connection broke off", "Try again."
    elif isinstance(error, (openai.APIConnectionError, httpx2.HTTPError, OSError)):
        said = f"{kinds} {' '.join(str(cause) for cause in causes)}"
        known = (told for told in _CAUSES if told[0] in said)
        _, why, hint = next(known, ("", "there is no connection", "Check base_url."))
        kind, what = ModelAccessError, f" cannot be reached: {why}"
    elif isinstance(error, openai.APIError) and not invalid:
        what, hint = f" reported an error while replying{_message(error, endpoint)}", "Try again."
    return kind, what, hint


def _causes(error: BaseException) -> list[BaseException]:
    """The error and its causes, the nearest first."""
    causes, cause = [error], error.__cause__ or error.__context__
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return causes


def _status_parts(error: Any, endpoint: Endpoint) -> ErrorParts:
    status, said = int(error.status_code), _message(error, endpoint)
    kind: type[ModelError] = ModelAccessError
    if status == 429 and "insufficient_quota" in (error.code, error.type):
        what, hint = ": the account's quota is used up (429)", "Check its billing."
    elif status == 429:
        wait = error.response.headers.get("retry-after", "")
        kind, what = ModelError, f" limits the rate of requests (429){said}"
        hint = f"Try again in {wait} s." if wait.isdigit() and wait != "0" else "Try again later."
    elif _TOO_LONG.search(said):
        kind, what = PromptTooLongError, f" rejected the request ({status}){said}"
        hint = "Lower context_tokens or --k, or use a model with a longer context."
    elif status in _STATUS:
        what, hint = _STATUS[status]
        what = f" {what.format(said)}"
    elif 300 <= status < 400:
        what = f" is redirected to another address ({status}), where nothing was sent"
        hint = "Set base_url to the final address."
    else:
        kind = RequestRefusedError if status in (400, 422, 501) else ModelError
        passes = status >= 500 or status in (408, 409, 425)
        what = f" {'failed' if passes else 'rejected the request'} ({status}){said}"
        hint = "Try again later." if passes else "Check model and base_url."
    return kind, what, hint


def _message(error: Exception, endpoint: Endpoint) -> str:
    """The server's own words, if it sent any: one bounded line, keys struck out."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    words = inner.get("message", inner.get("detail")) if isinstance(inner, dict) else inner
    if isinstance(words, list):  # what FastAPI's validation says of each field
        words = json.dumps(words)
    return redacted(words, endpoint) if isinstance(words, str) else ""


def redacted(words: str, endpoint: Endpoint) -> str:
    """Foreign words made safe to show: `: …`, printable, short, without any key."""
    key = endpoint.key.get_secret_value()
    clean = words[: 10 * SHOWN]
    clean = clean.replace(key, "***") if len(key) >= LEAST_SECRET else clean
    clean = re.sub(r"\b(sk|key|pk)-[\w*.-]{4,}", "***", clean)
    clean = " ".join("".join(c if c.isprintable() else " " for c in clean).split())
    clean = clean if len(clean) <= SHOWN else clean[: SHOWN - 1] + "…"
    return f": {clean.rstrip('.')}" if clean else ""
