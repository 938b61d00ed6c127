"""In which form each server replies, and whether it reads slowly, kept so that each is asked once.

A file of the home, bounded. It holds addresses and names of models and no word of any document;
losing it costs a few requests.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter

from rag.endpoint.address import Endpoint

FILE = "servers.json"
MOST = 50
KEPT_SECONDS = 30 * 24 * 3600.0
"""After a month a server is asked anew: it may have learned something."""


@dataclass(frozen=True, slots=True)
class KnownServer:
    """`form`: how a reply of a known shape is asked for, None while nobody knows; `slow`: it reads
    less than a few hundred tokens a second; `at`: seconds since 1970.
    """

    form: str | None = None
    slow: bool = False
    at: float = field(default=0.0, compare=False)


_ROWS = TypeAdapter(dict[str, KnownServer])


def known_server(home: Path, endpoint: Endpoint, model: str) -> KnownServer:
    return _read(home).get(_key(endpoint, model), KnownServer())


def keep_server(home: Path, endpoint: Endpoint, model: str, known: KnownServer) -> None:
    """Two processes may lose each other's find; a home that cannot be written keeps nothing."""
    rows = {**_read(home), _key(endpoint, model): replace(known, at=time.time())}
    newest = dict(sorted(rows.items(), key=lambda row: -row[1].at)[:MOST])
    with suppress(OSError):
        handle, name = tempfile.mkstemp(dir=home, prefix=f".{FILE}-")
        with os.fdopen(handle, "wb") as file:
            file.write(_ROWS.dump_json(newest, indent=1))
        os.replace(name, home / FILE)  # noqa: PTH105


def _read(home: Path) -> dict[str, KnownServer]:
    try:
        held = _ROWS.validate_json((home / FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return {key: row for key, row in held.items() if row.at >= time.time() - KEPT_SECONDS}


def _key(endpoint: Endpoint, model: str) -> str:
    return f"{endpoint.base_url.rstrip('/')} {model}"
