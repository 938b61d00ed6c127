"""Verdicts kept from one run to the next, so that the same question asked again costs less."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Protocol

from pydantic import TypeAdapter

from rag.engines.openai.verdict_schemas import Verdict

_VERDICT = TypeAdapter(Verdict)


class GradeCache(Protocol):
    """A map of short strings that outlives the process. Losing entries is harmless."""

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The values of those keys that are held."""

    def put(self, entries: Mapping[str, str]) -> None: ...

    def close(self) -> None: ...


def key_of(model: str, prompt: str, question: str, texts: Iterable[str]) -> str:
    """One verdict's key: of one text, or of a set of texts taken together."""
    digests = sorted(sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts)
    parts = json.dumps([model, prompt, question, digests])
    return sha256(parts.encode()).hexdigest()


def pack(verdict: Verdict) -> str:
    return _VERDICT.dump_json(verdict).decode()


def unpack(value: str | None) -> Verdict | None:
    """The verdict, or None for anything that `pack` did not write."""
    try:
        return _VERDICT.validate_json(value or "null", strict=True)
    except ValueError:
        return None
