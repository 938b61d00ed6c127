"""In which form each server replies and how fast it reads, stored so that each is asked once.

The file in the home holds addresses and names of models and no word of any document; losing it
costs a few requests.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from rag.endpoint.address import Endpoint

FILE = "servers.json"
MOST = 50


@dataclass(frozen=True, slots=True)
class KnownServer:
    """`form` is how structured replies are requested, None while unknown. `reads` is in tokens a
    second, None until it was timed. `answers` says whether the server has given quotes in that form
    or has answered in plain words all the same.
    """

    form: str | None = None
    reads: int | None = None
    answers: Literal["quotes", "plain"] | None = None


_ROWS = TypeAdapter(dict[str, KnownServer])


def known_server(home: Path, endpoint: Endpoint, model: str) -> KnownServer:
    return _read(home).get(_key(endpoint, model), KnownServer())


def keep_server(home: Path, endpoint: Endpoint, model: str, known: KnownServer) -> None:
    """Two processes may lose each other's rows; in a home that cannot be written none are kept."""
    rows = {key: row for key, row in _read(home).items() if key != _key(endpoint, model)}
    newest = dict([*rows.items(), (_key(endpoint, model), known)][-MOST:])
    with suppress(OSError):
        (home / FILE).write_bytes(_ROWS.dump_json(newest, indent=1))


def _read(home: Path) -> dict[str, KnownServer]:
    try:
        return _ROWS.validate_json((home / FILE).read_bytes())
    except (OSError, ValueError):
        return {}


def _key(endpoint: Endpoint, model: str) -> str:
    return f"{endpoint.base_url.rstrip('/')} {model}"
