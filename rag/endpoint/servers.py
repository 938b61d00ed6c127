"""What was found out about the servers that answered, kept so that each is asked once.

A file of the home, bounded, read once a process. It holds addresses and names of models and
no word of any document; losing it costs a few requests.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from pydantic import TypeAdapter

from rag.endpoint.address import Endpoint

FILE = "servers.json"
MOST = 50
KEPT_SECONDS = 30 * 24 * 3600.0
"""After a month a server is asked anew: it may have learned something."""


@dataclass(frozen=True, slots=True)
class ServerTraits:
    """`form`: how structured replies are asked for, None while nobody knows; `refused`: optional
    parameters that it does not take; `thinks`: its replies begin with thinking; `at`: when this was
    found out, in seconds since 1970.
    """

    form: str | None = None
    refused: tuple[str, ...] = ()
    thinks: bool = False
    at: float = field(default=0.0, compare=False)


_ROWS = TypeAdapter(dict[str, ServerTraits])


class KnownServers:
    """Traits by endpoint and model. Thread-safe; two processes may lose each other's find."""

    def __init__(self, home: Path) -> None:
        self._file = home / FILE
        self._rows: dict[str, ServerTraits] | None = None
        self._lock = Lock()

    def get(self, endpoint: Endpoint, model: str) -> ServerTraits:
        with self._lock:
            return self._read().get(_key(endpoint, model), ServerTraits())

    def put(self, endpoint: Endpoint, model: str, traits: ServerTraits) -> None:
        with self._lock:
            self._rows = None  # another process may have written since
            rows = {**self._read(), _key(endpoint, model): replace(traits, at=time.time())}
            newest = sorted(rows.items(), key=lambda row: -row[1].at)[:MOST]
            self._rows = dict(newest)
            self._write()

    def _read(self) -> dict[str, ServerTraits]:
        if self._rows is None:
            try:
                held = _ROWS.validate_json(self._file.read_bytes())
            except (OSError, ValueError):
                held = {}
            oldest = time.time() - KEPT_SECONDS
            self._rows = {key: row for key, row in held.items() if row.at >= oldest}
        return self._rows

    def _write(self) -> None:
        with suppress(OSError):
            handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=f".{FILE}-")
            with os.fdopen(handle, "wb") as file:
                file.write(_ROWS.dump_json(self._rows or {}, indent=1))
            os.replace(name, self._file)  # noqa: PTH105


def _key(endpoint: Endpoint, model: str) -> str:
    return f"{endpoint.base_url.rstrip('/')} {model}"
