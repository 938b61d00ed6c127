"""JSON records as a database keeps them, compressed with zlib."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

from state.errors import DamagedError


def deflate_json(record: Mapping[str, object]) -> bytes:
    """The bytes to keep; `inflate_json` gives back exactly what went in."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def inflate_json(body: bytes, what: str, hint: str) -> dict[str, Any]:
    """The record; errors call it `what`.

    Raises:
        DamagedError: it is not what was written; `hint` says what to do.
    """
    try:
        record: dict[str, Any] = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError):
        raise DamagedError(f"{what} is damaged.", hint) from None
    return record
