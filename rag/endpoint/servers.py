"""What was found out about the servers that answered, kept so that each is asked once.

A file of the home, bounded, read once a process. It holds addresses and names of models and
no word of any document; losing it costs a few requests.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from rag.endpoint.address import Endpoint

FILE = "servers.json"
MOST = 50
KEPT_SECONDS = 30 * 24 * 3600.0
"""After a month a server is asked anew: it may have learned something."""


@dataclass(frozen=True, slots=True)
class ServerTraits:
    """`form`: how structured replies are asked for, None while nobody knows; `refused`: optional
    parameters that it does not take; `thinks`: its replies begin with thinking.
    """

    form: str | None = None
    refused: tuple[str, ...] = ()
    thinks: bool = False


class KnownServers:
    """Traits by endpoint and model. Thread-safe; two processes may lose each other's find."""

    def __init__(self, home: Path, clock: Callable[[], float] = time.time) -> None:
        self._file = home / FILE
        self._clock = clock
        self._rows: dict[str, dict[str, Any]] | None = None
        self._lock = Lock()

    def get(self, endpoint: Endpoint, model: str) -> ServerTraits:
        with self._lock:
            row = self._read().get(_key(endpoint, model), {})
        form, refused = row.get("form"), row.get("refused")
        names = refused if isinstance(refused, list) else []
        return ServerTraits(
            form if isinstance(form, str) else None,
            tuple(name for name in names if isinstance(name, str)),
            row.get("thinks") is True,
        )

    def put(self, endpoint: Endpoint, model: str, traits: ServerTraits) -> None:
        with self._lock:
            self._rows = None  # another process may have written since
            rows = self._read()
            rows[_key(endpoint, model)] = {
                "form": traits.form,
                "refused": list(traits.refused),
                "thinks": traits.thinks,
                "at": round(self._clock()),
            }
            newest = sorted(rows, key=lambda key: -float(rows[key]["at"]))[:MOST]
            self._rows = {key: rows[key] for key in newest}
            self._write()

    def _read(self) -> dict[str, dict[str, Any]]:
        if self._rows is None:
            try:
                held = json.loads(self._file.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                held = {}
            oldest = self._clock() - KEPT_SECONDS
            self._rows = {
                key: row
                for key, row in (held.items() if isinstance(held, dict) else ())
                if isinstance(row, dict)
                and isinstance(row.get("at"), (int, float))
                and row["at"] >= oldest
            }
        return self._rows

    def _write(self) -> None:
        with suppress(OSError):
            handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=f".{FILE}-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(self._rows, file, indent=1)
            os.replace(name, self._file)  # noqa: PTH105


def _key(endpoint: Endpoint, model: str) -> str:
    return f"{endpoint.base_url.rstrip('/')} {model}"
