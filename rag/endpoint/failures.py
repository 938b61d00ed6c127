"""Failures of an endpoint, each as a ModelError of one line: host, model, what mends it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from rag.endpoint.address import Endpoint
from rag.text.prose import one_line
from state.errors import ModelError, RequestRefusedError

SHOWN = 200
LEAST_SECRET = 8
"""The length from which a key is struck out of messages; "x", "none" and "EMPTY" are no secrets."""
REFUSED = (400, 422, 501)
"""The status codes of a server that may take another form of the request."""
_TOO_LONG = re.compile(r"context.{0,9}(length|window|size)|too (long|many tokens)", re.IGNORECASE)
_STATUS = {
    401: ("refused the key", "Check OPENAI_API_KEY or api_key."),
    403: ("is not open to this key", "Use another model or key."),
    404: ("was not found", "Check model and base_url (…/v1), or pull it."),
    429: ("limits the rate of requests", "Try again later."),
}


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


def model_error(error: Exception, endpoint: Endpoint, model: str, seconds: float) -> ModelError:
    """The ModelError for a foreign exception; `seconds` is what a request may take."""
    import openai

    kind = ModelError
    if isinstance(error, openai.APIStatusError):
        said = _message(error, endpoint)
        what, hint = _status_words(error, said)
        if error.status_code in REFUSED and not _TOO_LONG.search(said):
            kind = RequestRefusedError
    else:
        what, hint = _unanswered_words(error, endpoint, seconds)
    return kind(f"Model {model} at {endpoint.host}{what}.", hint)


def _unanswered_words(error: Exception, endpoint: Endpoint, seconds: float) -> tuple[str, str]:
    """What happened to a request that got no failure status, and what mends it."""
    import httpx2
    import openai

    kinds = " ".join(type(cause).__name__ for cause in _causes(error))
    late = isinstance(error, (TimeoutError, openai.APITimeoutError))
    if late or re.search("(?:Read|Write)Timeout", kinds):
        hint = "Raise CRAG_REQUEST_TIMEOUT, or try later."
        return f" did not reply in time ({seconds:g} s)", hint
    if type(error).__name__ == "UnboundedError":
        return f" failed: {error}", "Check base_url."
    if "ReadError" in kinds or "RemoteProtocolError" in kinds:
        return " failed: the connection broke off", "Try again."
    if isinstance(error, (openai.APIConnectionError, httpx2.HTTPError, OSError)):
        hint = "Check base_url, that the server runs there, and the proxy of HTTP_PROXY."
        return f" cannot be reached: {cause_in_words(error)}", hint
    known = isinstance(error, openai.APIError)
    if known and not isinstance(error, openai.APIResponseValidationError):
        return f" reported an error while replying{_message(error, endpoint)}", "Try again."
    hint = f"Check base_url: does {endpoint.host} speak the OpenAI protocol there (…/v1)?"
    return " sent a reply that is no chat completion", hint


def _causes(error: BaseException) -> list[BaseException]:
    """The error and its causes, the nearest first."""
    causes, cause = [error], error.__cause__ or error.__context__
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return causes


def cause_in_words(error: BaseException) -> str:
    """What the first cause of an error says, such as "Connection refused"."""
    cause = _causes(error)[-1]
    words = re.sub(r"^\[[^\]]*\] |\s*\(_ssl.*", "", str(cause))
    return one_line(words) or type(cause).__name__


def _status_words(error: Any, said: str) -> tuple[str, str]:
    """What a failure status means, and what mends it; `said` are the server's words."""
    status = int(error.status_code)
    what, hint = _STATUS.get(status, ("rejected the request", "Check model and base_url."))
    if status == 401:
        said = ""  # they may quote the key
    elif status == 429:
        wait = error.response.headers.get("retry-after", "")
        if wait.isdigit() and wait != "0":
            hint = f"Try again in {wait} s."
    elif 300 <= status < 400:
        what, said = "is redirected to another address", ", where nothing was sent"
        hint = "Set base_url to the final address."
    elif _TOO_LONG.search(said):
        hint = "Lower context_tokens or --k, or use a model with a longer context."
    elif status >= 500 or status in (408, 409, 425):
        what, hint = "failed", "Try again later."
    return f" {what} ({status}){said}", hint


def _message(error: Exception, endpoint: Endpoint) -> str:
    """The server's own words, if it sent any: one bounded line, keys struck out."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    words = inner.get("message", inner.get("detail")) if isinstance(inner, dict) else inner
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
