"""An HTTP client whose replies have a bound of size, and that sends nothing elsewhere.

How long a request takes is not bounded here: the time limits of HTTP libraries begin anew with each
read, so whoever waits for a reply gives up on it.
"""

from __future__ import annotations

import json
import ssl
import time
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import suppress
from email.utils import mktime_tz, parsedate_tz
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from openai import DefaultHttpxClient

from rag.endpoint.address import is_loopback
from state.background import is_given_up

MOST_BYTES = 64 << 20
"""More than any expected reply has."""
_FORMS = (b'"response_format"', b'"tools"')


class UnboundedError(openai.OpenAIError):
    """A reply is larger than any expected one, or may become so; or nobody waits for it any more.
    The SDK retries no error of its own classes.
    """


class BoundedClient(DefaultHttpxClient):
    """Connections to the server of `url`. HTTP_PROXY does not apply to loopback, and a redirect is
    not followed: documents go to the host that the person was told of, or nowhere.
    """

    def __init__(self, url: str, **given: Any) -> None:
        super().__init__(
            trust_env=not is_loopback(urlsplit(url).hostname or ""),
            follow_redirects=False,
            # Without TLS no certificate is needed, and reading them takes 0.1 s.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if url.startswith("http:") else True,
            event_hooks={"response": [_bound]},
            **given,
        )

    def send(self, request: Any, **given: Any) -> Any:
        """Tells the SDK what not to try again: where nothing listens, what was late, what the
        request's form may be at fault for, and where the server asks for a longer pause than a
        request may take.
        """
        if is_given_up():
            raise UnboundedError("nobody waits for a reply")
        # A few compressed bytes can unpack into any number of them.
        request.headers["Accept-Encoding"] = "identity"
        try:
            reply = super().send(request, **given)
        except httpx2.TimeoutException as error:
            raise openai.APITimeoutError(request=request) from error
        except (httpx2.ConnectError, httpx2.ProxyError) as error:
            raise openai.APIConnectionError(request=request) from error
        formed = any(form in request.content for form in _FORMS)
        wait = _pause(reply.headers.get("retry-after", "0"))
        patience = (request.extensions.get("timeout") or {}).get("read") or 0.0
        crashed = formed and reply.status_code in (500, 501)
        if crashed or wait > patience:
            reply.headers["x-should-retry"] = "false"
        return reply


def _pause(asked: str) -> float:
    """The seconds that a Retry-After asks for, which may be a date; 0 where it is neither."""
    with suppress(ValueError):
        return float(asked)
    with suppress(ValueError, OverflowError):
        date = parsedate_tz(asked)
        return mktime_tz(date) - time.time() if date else 0.0
    return 0.0


def _bound(reply: Any) -> None:
    """A hook that bounds a reply before its body is read; what it raises closes the reply."""
    if reply.headers.get("content-encoding", "identity") != "identity":
        raise UnboundedError("its reply is compressed, which was not asked for")
    streamed = reply.is_success and b'"stream":' in reply.request.content
    reply.stream = _Bounded(reply.stream, streamed=streamed)


class _Bounded(httpx2.SyncByteStream):
    """A reply's body. Where a stream is read, the whole reply of a server that does not stream is
    one of one event.
    """

    def __init__(self, body: Any, *, streamed: bool) -> None:
        self._body = body
        self._streamed = streamed

    def __iter__(self) -> Iterator[bytes]:
        pieces = self._pieces()
        first = next(pieces, b"")
        if self._streamed and first.lstrip(BOM_UTF8 + b" \t\r\n").startswith(b"{"):
            yield _event(json.loads(b"".join((first, *pieces))))
        else:
            yield first
            yield from pieces

    def _pieces(self) -> Iterator[bytes]:
        size = 0
        for piece in self._body:
            size += len(piece)
            if size > MOST_BYTES:
                raise UnboundedError("its reply is too long")
            yield piece

    def close(self) -> None:
        self._body.close()


def _event(whole: dict[str, Any]) -> bytes:
    """A whole reply as an event of a stream. Raises LookupError or TypeError if it is none."""
    if not whole.get("error"):
        choice = whole["choices"][0]
        calls = enumerate(choice["message"].get("tool_calls") or ())
        called = [{"index": number, **call} for number, call in calls]
        whole["choices"] = [{**choice, "delta": {**choice["message"], "tool_calls": called}}]
    return b"data: " + json.dumps(whole).encode() + b"\n\n"
