"""The shapes in which verdicts are asked for, and how they are read.

One property per document instead of a list: a server that constrains its output to the
schema then cannot leave a document out, and no verdict can slip to its neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError, create_model

_DECORATION = " \t\r\n*_`'\"“”.!,:"
_WORDS = {"yes": True, "true": True, "no": False, "false": False}
SHORT: dict[str, Any] = {"maxLength": 120}
"""Of a reason or a query: a string without a bound runs on where a schema is enforced. For
the server only: a longer one is still read.
"""


def binary(value: Any) -> bool:
    """Yes or no, however it is decorated; never a default."""
    word = value.strip(_DECORATION).casefold() if isinstance(value, str) else ""
    score = value if isinstance(value, bool) else _WORDS.get(word)
    if score is None:
        raise ValueError("neither yes nor no")
    return score


def _line(value: Any) -> str:
    line = " ".join(value.split())[:300] if isinstance(value, str) else ""
    return line.encode("utf-8", "replace").decode("utf-8")  # half of a pair can be in no file


Binary = Annotated[bool, BeforeValidator(binary)]
Line = Annotated[str, BeforeValidator(_line), Field(default="", json_schema_extra=SHORT)]


class DocumentGrade(BaseModel):
    """Whether a document answers the question or a part of it."""

    reason: Line
    relevant: Binary = Field(validation_alias=AliasChoices("relevant", "binary_score"))


class ClaimVerdict(BaseModel):
    """Whether a claim is supported by its quote."""

    reason: Line
    supported: Binary = Field(validation_alias=AliasChoices("supported", "binary_score"))


V = TypeVar("V", DocumentGrade, ClaimVerdict)


@lru_cache(maxsize=256)
def sheet(
    noun: str, verdict: type[BaseModel], count: int, *, extras: bool = False
) -> type[BaseModel]:
    """The Pydantic model of a reply about `count` items, numbered from 1; with `extras` also
    whether what is relevant suffices, and what else to search for.
    """
    asked: dict[str, Any] = {f"{noun}_{n}": (verdict, ...) for n in range(1, count + 1)}
    if extras:
        told = "whether the relevant documents together answer the whole question"
        other = "if not sufficient: other words to search for what is missing; else ''"
        asked["sufficient"] = (bool, Field(description=told))
        asked["better_query"] = (str, Field(description=other, json_schema_extra=SHORT))
    return create_model(f"check_{noun}s", **asked)


def read_verdicts(noun: str, kind: type[V], count: int, told: Mapping[str, Any]) -> dict[int, V]:
    """The verdicts that a reply really holds, by number; an item without one is absent."""
    (score,) = kind.model_fields.keys() - {"reason"}
    found: dict[int, V] = {}
    for key, value in {**({f"{noun}_1": told} if count == 1 else {}), **told}.items():
        match = re.fullmatch(rf"(?:{noun})?[\s_#-]*0*(\d{{1,4}})", key.strip().casefold())
        number = int(match[1]) if match else 0
        if not 1 <= number <= count:
            continue
        try:
            verdict = kind.model_validate(value if isinstance(value, Mapping) else {score: value})
        except ValidationError:
            continue
        if getattr(found.get(number, verdict), score) != getattr(verdict, score):
            return {}
        found[number] = verdict
    return found
