"""Records of an answer as a database keeps them: JSON, deflated."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from state.answer import Answer
from state.errors import DamagedError, StorageError

MOST_BYTES = 64 * 1024 * 1024
"""No record is longer, unless somebody made it to fill the memory."""


def packed(record: Mapping[str, object]) -> bytes:
    """The bytes to keep; `unpacked` gives back exactly what went in.

    Raises:
        StorageError: it is longer than what `unpacked` reads.
    """
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    body = text.encode("utf-8", "surrogatepass")
    if len(body) > MOST_BYTES:
        raise StorageError(f"A record of {len(body)} bytes cannot be kept.")
    return zlib.compress(body)


def unpacked(body: bytes, names: Sequence[str], what: str, hint: str) -> list[Any]:
    """What the record holds under `names`, "answer" among them; errors call it `what`.

    Raises:
        DamagedError: it is not what was written; `hint` says what to do.
    """
    try:
        text = zlib.decompressobj().decompress(body, MOST_BYTES).decode("utf-8", "surrogatepass")
        record = json.loads(text)
        if not Answer.__annotations__.keys() <= record["answer"].keys():
            raise KeyError
        return [record[name] for name in names]
    except (zlib.error, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise DamagedError(f"{what} is damaged.", hint) from None
