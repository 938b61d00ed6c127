"""An HTTP client whose every request has one deadline and one bound of size.

The time limits of HTTP libraries begin anew with each read, and nothing bounds the size: a server
that drips never exceeds them, and one that floods fills the memory. The SDK above retries what may
pass; it does not retry errors of its own classes, so what cannot pass is raised as one.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from openai import DefaultHttpxClient

from rag.endpoint.address import is_loopback
from state.deadline import call_with_timeout

MOST_BYTES = 64 << 20
"""More than any expected reply has."""
STREAM_PATIENCE = 10
"""A stream may take this many times as long as a whole reply: a slow model writes for long."""
_SECONDS = 600.0
_FORMS = (b'"response_format"', b'"tools"')
_ends: ContextVar[tuple[float, float]] = ContextVar("ends")


class UnboundedError(openai.OpenAIError):
    """A reply is larger than any expected one, or may become so."""


@contextmanager
def request_deadline(seconds: float, left: float | None) -> Iterator[None]:
    """Requests inside the block have a reply within `seconds`, retries included, and streams end
    within ten times that; both within what is `left` of the question's time.
    """
    now, most = time.monotonic(), _SECONDS * 10**6 if left is None else left
    token = _ends.set((now + min(seconds, most), now + min(STREAM_PATIENCE * seconds, most)))
    try:
        yield
    finally:
        _ends.reset(token)


class BoundedClient(DefaultHttpxClient):
    """Connections to the server of `url`. A request's `timeout` bounds all of it, to the last byte
    of a reply that is not streamed. HTTP_PROXY does not apply to loopback, and a redirect is not
    followed: documents go to the host that the person was told of, or nowhere.
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
        """Raises the parent's errors only where another try may help, the SDK's own elsewhere."""
        now = time.monotonic()
        seconds = (request.extensions.get("timeout") or {}).get("read") or _SECONDS
        reply_by, end_by = _ends.get((now + seconds, now + STREAM_PATIENCE * seconds))
        request.extensions["end_by"] = end_by
        # A few compressed bytes can unpack into any number of them.
        request.headers["Accept-Encoding"] = "identity"
        send = super().send
        try:
            reply = call_with_timeout(min(seconds, reply_by - now), lambda: send(request, **given))
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise openai.APITimeoutError(request=request) from error
        except (httpx2.ConnectError, httpx2.UnsupportedProtocol, httpx2.ProxyError) as error:
            raise openai.APIConnectionError(request=request) from error
        if reply.is_error and not _may_pass(request, reply, reply_by - time.monotonic()):
            reply.headers["x-should-retry"] = "false"
        return reply


def _bound(reply: Any) -> None:
    """A hook that bounds a reply before its body is read; what it raises closes the reply."""
    if reply.headers.get("content-encoding", "identity") != "identity":
        raise UnboundedError("its reply is compressed, which was not asked for")
    reply.stream = _Bounded(reply.stream, reply.request.extensions["end_by"])
    if reply.is_error:
        reply.read()


def _may_pass(request: Any, reply: Any, left: float) -> bool:
    """Whether another try may help: not if the form of the request may be at fault, and not if the
    server asks for a longer pause than there is time for, or names a date.
    """
    if reply.status_code in (500, 501) and any(form in request.content for form in _FORMS):
        return False
    wait = reply.headers.get("retry-after", "0")
    return "insufficient_quota" not in reply.text and wait.isdigit() and int(wait) <= left


class _Bounded(httpx2.SyncByteStream):
    """A reply's body until `deadline` of time.monotonic."""

    def __init__(self, body: Any, deadline: float) -> None:
        self._body = body
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._body:
            size += len(piece)
            if size > MOST_BYTES:
                raise UnboundedError("its reply is too long")
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("its reply does not end")
            yield piece

    def close(self) -> None:
        self._body.close()
