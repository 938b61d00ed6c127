"""Tests reach no network but loopback, no key, no proxy and no home directory."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import certifi

LOOPBACK = ("127.", "::1", "localhost")
FORGOTTEN = ("OPENAI_", "CRAG_", "CHROMA_", "LANGCHAIN_", "LANGSMITH_", "XDG_")
PROXIES = ("http_proxy", "https_proxy", "all_proxy")


class NetworkForbiddenError(RuntimeError):
    """A test tried to leave the machine."""


@contextmanager
def loopback_only() -> Iterator[None]:
    """Sockets of this process may connect to loopback and to files, nothing else."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
            raise NetworkForbiddenError(f"a test tried to reach {address[0]}")
        connect(self, address)

    with patch.object(socket.socket, "connect", guarded):
        yield


def heed_interrupts() -> None:
    """Children can be interrupted even where the tests themselves were started in the
    background, with the interrupt ignored, which children inherit.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def leave_home(home: Path) -> None:
    """This process and its children live in `home` and know none of the person's settings."""
    for name in list(os.environ):
        if name.startswith(FORGOTTEN) or name.lower() in PROXIES:
            del os.environ[name]
    os.environ["HOME"] = str(home)
    os.environ["CRAG_HOME"] = str(home / "crag")
    # A child that tries the network meets a closed port at once, not a timeout.
    for name in ("http_proxy", "https_proxy"):
        os.environ[name] = os.environ[name.upper()] = "http://127.0.0.1:9"
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1,localhost,::1"
    # Clients of HTTP read the machine's authorities several times each, also where all they ask is
    # loopback; one will do.
    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----\n")
    (home / "authority.pem").write_text(first + end, encoding="ascii", errors="ignore")
    os.environ["SSL_CERT_FILE"] = str(home / "authority.pem")
