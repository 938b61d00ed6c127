"""An HTTP client whose every request has one deadline and one bound of size.

The limits that HTTP libraries take count each read anew, and nothing bounds what is read: a
server that drips passes them all, one that floods fills the memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from openai import DefaultHttpxClient

from rag.endpoint.failures import transport
from state.deadline import within

httpx: Any = transport()

MOST_BYTES = 64 << 20
"""Ten times the largest reply that is asked for: 64 embeddings of 4,096 numbers, in digits."""
STREAM_PATIENCE = 10
"""A stream may take so many times the seconds of a whole reply: a slow model writes for long."""
_SECONDS = 600.0


class BoundedClient(DefaultHttpxClient):
    """`timeout` of a request bounds all of it, to the last byte of a reply that is not streamed."""

    def send(self, request: Any, *, stream: bool = False, **given: Any) -> Any:
        """As its parent, with errors of the parent's classes."""
        seconds = (request.extensions.get("timeout") or {}).get("read") or _SECONDS
        # A few compressed bytes can be unpacked into any number.
        request.headers["Accept-Encoding"] = "identity"

        def answered() -> Any:
            reply: Any = super(BoundedClient, self).send(request, stream=True, **given)
            try:
                _require_plain(reply)
                reply.stream = _Bounded(reply.stream, time.monotonic() + STREAM_PATIENCE * seconds)
                if not stream:
                    reply.read()
            except BaseException:
                reply.close()
                raise
            return reply

        try:
            return within(seconds, answered)
        except TimeoutError as error:
            raise httpx.ReadTimeout(str(error), request=request) from None


class UnboundedError(httpx.ReadError):  # type: ignore[misc]
    """A reply is larger than any that is asked for, or may become so."""


def _require_plain(reply: Any) -> None:
    if reply.headers.get("content-encoding", "identity") != "identity":
        raise UnboundedError("its reply is compressed, which was not asked for")


class _Bounded(httpx.SyncByteStream):  # type: ignore[misc]
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
                raise httpx.ReadTimeout("its reply does not end")
            yield piece

    def close(self) -> None:
        self._body.close()
