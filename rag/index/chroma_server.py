"""A Chroma server: whether it is there, and a client of it."""

from __future__ import annotations

import contextlib
import http.client
import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from rag.deadline import within
from rag.index.chroma_errors import foreign_errors
from rag.index.chroma_import import chroma_settings, chromadb_module
from state.errors import RemoteStoreError, SettingsError

_CONNECT_SECONDS = 3.0
_REQUEST_SECONDS = 60.0


def check_server(url: str) -> None:
    """A heartbeat of at most a few seconds.

    Raises:
        SettingsError: this is no URL of a server.
        RemoteStoreError: nobody answers there as Chroma does.

    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"--store {url!r} is no URL of a Chroma server.", "As http://host:8000")
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.hostname, port or (443 if secure else 8000), timeout=_CONNECT_SECONDS)

    def heartbeat() -> int:
        connection.request("GET", "/api/v2/heartbeat")
        return connection.getresponse().status

    try:
        status = within(_CONNECT_SECONDS, heartbeat)
    except (OSError, http.client.HTTPException) as error:
        raise RemoteStoreError(
            f"The Chroma server {url} cannot be reached: {error or type(error).__name__}.",
            "Start it, or leave --store away.",
        ) from error
    finally:
        connection.close()
    if status != http.client.OK:
        raise RemoteStoreError(f"The server {url} does not answer as Chroma does ({status}).")


def connect_server(url: str) -> Any:
    """A client of the server, after a heartbeat; raises as `check_server`."""
    check_server(url)
    parts = urlsplit(url)
    # Loopback is never behind a proxy, whatever the environment says.
    with foreign_errors(url), _no_proxy(parts.hostname or ""):
        client = chromadb_module().HttpClient(
            host=parts.hostname,
            port=parts.port or (443 if parts.scheme == "https" else 8000),
            ssl=parts.scheme == "https",
            settings=chroma_settings(),
        )
        client._server._session.timeout = _REQUEST_SECONDS  # noqa: SLF001 - there is no setting
    return client


def delete_server_collection(url: str, name: str) -> None:
    """Forgets what is kept on a server under this name; none there is fine."""
    with contextlib.closing(connect_server(url)) as client, foreign_errors(url):
        if name in {found.name for found in client.list_collections()}:
            client.delete_collection(name)


@contextlib.contextmanager
def _no_proxy(host: str) -> Iterator[None]:
    if host not in ("localhost", "::1") and not host.startswith("127."):
        yield
        return
    before = {name: os.environ.get(name) for name in ("NO_PROXY", "no_proxy")}
    os.environ.update(dict.fromkeys(before, "*"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
