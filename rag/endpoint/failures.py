"""What goes wrong at an endpoint, as one ModelError line each: host, model, mending step."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from state.errors import (
    ModelAccessError,
    ModelError,
    ModelLateError,
    PromptTooLongError,
    RequestRefusedError,
)

if TYPE_CHECKING:
    from rag.endpoint.address import Endpoint

SHOWN = 200
LEAST_SECRET = 8
"""Characters of a key that is struck out of messages; "x", "none" and "EMPTY" are no secrets."""
_TOO_LONG = re.compile(r"context.{0,9}(length|window|size)|too (long|many tokens)", re.IGNORECASE)
_FORM = re.compile(
    r"response_?format|json_?schema|grammar|structured|\btools?\b|tool_choice|function|jinja"
    r"|extra (?:inputs|fields)|unsupported param|unknown field|unrecognized",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def foreign_errors() -> tuple[type[Exception], ...]:
    """Whatever the libraries below raise: their own classes, and what they let through when
    a server replies with something that is no reply (ValueError, IndexError, ...).
    """
    import openai
    from langchain_core.exceptions import LangChainException

    own = (openai.OpenAIError, LangChainException, transport().HTTPError)
    return (*own, ValueError, TypeError, LookupError, AttributeError, RuntimeError, OSError)


def transport() -> ModuleType:
    """The HTTP library beneath openai: it moved from httpx to its successor, and what its client
    derives from tells which.
    """
    from importlib import import_module

    from openai import DefaultHttpxClient

    roots = (kind.__module__.split(".")[0] for kind in DefaultHttpxClient.__mro__)
    return import_module(next(root for root in roots if root.startswith("httpx")))


def about_the_form(status: int, said: str) -> bool:
    """Whether a server that fails so may take the same request in another form."""
    return status in (400, 422, 501) or (status == 500 and bool(_FORM.search(said)))


def failure(
    error: Exception, endpoint: Endpoint, model: str, seconds: float | None = None
) -> ModelError:
    """What a foreign exception stands for; `seconds` is what a request may take."""
    import openai

    who = f"Model {model} at {endpoint.host}"
    if isinstance(error, openai.APITimeoutError):
        return _late(who, seconds)
    if isinstance(error, openai.APIStatusError):
        return _status(error, who, endpoint)
    if type(error).__name__ == "UnboundedError":
        return ModelError(f"{who} failed: {error}.", "Check base_url.")
    if isinstance(error, (openai.APIConnectionError, transport().HTTPError, OSError)):
        return _unconnected(error, who, endpoint, seconds)
    invalid = isinstance(error, openai.APIResponseValidationError)
    if isinstance(error, openai.APIError) and not invalid:
        said = _said(error, endpoint)
        return ModelError(f"{who} reported an error while replying{said}.", "Try again.")
    what = f"{who} sent a reply that is no chat completion or embedding."
    hint = f"Check base_url: does {endpoint.host} speak the OpenAI protocol there (…/v1)?"
    return ModelError(what, hint)


def _late(who: str, seconds: float | None) -> ModelError:
    waited = "" if seconds is None else f" ({seconds:g} s)"
    hint = "Raise CRAG_REQUEST_TIMEOUT, or try later."
    return ModelLateError(f"{who} did not reply in time{waited}.", hint)


def _unconnected(
    error: BaseException, who: str, endpoint: Endpoint, seconds: float | None
) -> ModelError:
    causes = _causes(error)
    kinds = " ".join(type(cause).__name__ for cause in causes)
    refused = any(isinstance(cause, ConnectionRefusedError) for cause in causes)
    if "ReadTimeout" in kinds or "WriteTimeout" in kinds:
        return _late(who, seconds)
    if "ReadError" in kinds or "RemoteProtocolError" in kinds:
        return ModelError(f"{who} failed: the connection broke off.", "Try again.")
    why, hint = "there is no connection", "Check base_url and the network."
    if "ProxyError" in kinds or (refused and _through_proxy(endpoint)):
        why = "the proxy refused the connection" if refused else "the proxy failed"
        hint = f"Check HTTP_PROXY and HTTPS_PROXY, or add {endpoint.host} to NO_PROXY."
    elif any("certificate" in str(cause).lower() for cause in causes):
        why, hint = "its TLS certificate is not trusted", "Check base_url and the certificate."
    elif refused:
        why, hint = "the connection was refused", "Start the server there, or check base_url."
    elif any(isinstance(cause, socket.gaierror) for cause in causes):
        why = "the host name is not known"
    return ModelAccessError(f"{who} cannot be reached: {why}.", hint)


def _through_proxy(endpoint: Endpoint) -> bool:
    from urllib.request import getproxies, proxy_bypass

    if endpoint.loopback or proxy_bypass(endpoint.host.rpartition(":")[0] or endpoint.host):
        return False
    proxies = getproxies()
    return endpoint.base_url.split(":")[0] in proxies or "all" in proxies


def _causes(error: BaseException) -> list[BaseException]:
    causes: list[BaseException] = []
    pending: list[BaseException | None] = [error]
    while pending and len(causes) < 20:
        cause = pending.pop()
        if cause is not None and cause not in causes:
            causes.append(cause)
            pending += [cause.__cause__, cause.__context__]
    return causes


def _status(error: Any, who: str, endpoint: Endpoint) -> ModelError:
    status, said = int(error.status_code), _said(error, endpoint)
    kind: type[ModelError] = ModelAccessError
    if status == 401:  # the reply may quote the key; nothing of it is needed
        what, hint = " refused the key (401)", "Check OPENAI_API_KEY or api_key."
    elif status == 429 and "insufficient_quota" in (error.code, error.type):
        what, hint = ": the account's quota is used up (429)", "Check its billing."
    elif status == 429:
        wait = seconds_asked_for(error.response.headers)
        kind, what = ModelError, f" limits the rate of requests (429){said}"
        hint = "Try again later." if wait is None else f"Try again in {wait:.0f} s."
    elif _TOO_LONG.search(said):
        kind, what = PromptTooLongError, f" rejected the request ({status}){said}"
        hint = "Lower context_tokens or --k, or use a model with a longer context."
    elif status == 403:
        what, hint = f" is not open to this key (403){said}", "Use another model or key."
    elif status == 404:
        what, hint = f" was not found (404){said}", "Check model and base_url (…/v1), or pull it."
    elif 300 <= status < 400:
        what = f" is redirected to another address ({status}), where nothing was sent"
        hint = "Set base_url to the final address."
    elif status >= 500 or status in (408, 409, 425):
        kind = RequestRefusedError if about_the_form(status, said) else ModelError
        what, hint = f" failed ({status}){said}", "Try again later."
    else:
        kind = RequestRefusedError if about_the_form(status, said) else ModelError
        what, hint = f" rejected the request ({status}){said}", "Check model and base_url."
    return kind(f"{who}{what}.", hint)


def seconds_asked_for(headers: Mapping[str, str]) -> float | None:
    """What a server wants to be left alone for, by its Retry-After."""
    try:
        if (value := headers.get("retry-after-ms")) is not None:
            seconds = float(value) / 1000
        elif (value := headers.get("retry-after")) is None:
            return None
        elif re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
            seconds = float(value)
        else:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(seconds, 0.0) if seconds < 1e9 else None


def _said(error: Exception, endpoint: Endpoint) -> str:
    """The server's own words, if it sent any: one bounded line, keys struck out."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    words = inner.get("message", inner.get("detail")) if isinstance(inner, dict) else inner
    if isinstance(words, list):  # what FastAPI's validation says of each field
        words = "; ".join(_field(item) for item in words if isinstance(item, dict))
    return quoted(words, endpoint) if isinstance(words, str) else ""


def _field(item: dict[str, Any]) -> str:
    place = item.get("loc")
    where = ".".join(map(str, place)) if isinstance(place, (list, tuple)) else ""
    return f"{where}: {item.get('msg', '')}"


def quoted(words: str, endpoint: Endpoint) -> str:
    """Foreign words made safe to show: `: …`, printable, short, without any key."""
    key = endpoint.key.get_secret_value()
    clean = words[: 10 * SHOWN]
    clean = clean.replace(key, "***") if len(key) >= LEAST_SECRET else clean
    clean = re.sub(r"\b(sk|key|pk)-[\w*.-]{4,}", "***", clean)
    clean = " ".join("".join(c if c.isprintable() else " " for c in clean).split())
    clean = clean if len(clean) <= SHOWN else clean[: SHOWN - 1] + "…"
    return f": {clean.rstrip('.')}" if clean else ""
