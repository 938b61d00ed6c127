"""Records of an answer as a database keeps them: JSON, deflated."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from state.answer import Answer
from state.errors import DamagedError


def packed(record: Mapping[str, object]) -> bytes:
    """The bytes to keep; `unpacked` gives back exactly what went in."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def unpacked(body: bytes, names: Sequence[str], what: str, hint: str) -> list[Any]:
    """What the record holds under `names`, "answer" among them; errors call it `what`.

    Raises:
        DamagedError: it is not what was written; `hint` says what to do.
    """
    try:
        record = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
        if not Answer.__annotations__.keys() <= record["answer"].keys():
            raise KeyError
        return [record[name] for name in names]
    except (zlib.error, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise DamagedError(f"{what} is damaged.", hint) from None
