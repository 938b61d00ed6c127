"""The shapes in which verdicts are asked for, and how they are read.

One property per document instead of a list: a server that constrains its output to the
schema then cannot leave a document out, and no verdict can slip to its neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, Field, create_model

_DECORATION = " \t\r\n*_`'\"“”.!,:"
_WORDS = {"yes": True, "true": True, "no": False, "false": False}


SHORT: dict[str, Any] = {"maxLength": 120}
"""Of a reason or a query: a string without a bound runs on where a schema is enforced. For
the server only: a longer one is still read.
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`confidence` is the probability of a yes, where it was told."""

    value: bool
    reason: str | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """What is asked of each numbered item, with its reason unless it is `bare`; `extras` name
    fields asked of all together.
    """

    tool: str
    noun: str
    score: str
    extras: tuple[str, ...] = ()
    bare: bool = False


GRADE_FORM = Form("grade_documents", "document", "relevant")
CLAIM_FORM = Form("check_claims", "claim", "supported")
_REASON: Any = (str, Field(json_schema_extra=SHORT))
_EXTRAS: dict[str, Any] = {
    "sufficient": (
        bool,
        Field(description="whether the relevant documents together answer the whole question"),
    ),
    "better_query": (
        str,
        Field(
            description="if not sufficient: other words to search for what is missing; else ''",
            json_schema_extra=SHORT,
        ),
    ),
}


@lru_cache(maxsize=256)
def model_of(form: Form, items: int) -> type[BaseModel]:
    """The Pydantic model of a reply about `items` items, numbered from 1."""
    item: Any = bool
    if not form.bare:
        item = create_model(form.noun, reason=_REASON, **{form.score: (bool, ...)})  # type: ignore[call-overload]
    properties: dict[str, Any] = {f"{form.noun}_{n}": (item, ...) for n in range(1, items + 1)}
    properties |= {name: _EXTRAS[name] for name in form.extras}
    return create_model(form.tool, **properties)


def verdicts(form: Form, items: int, reply: Mapping[str, Any]) -> dict[int, Verdict]:
    """The verdicts that a reply really holds, by number; an item without one is absent."""
    found: dict[int, Verdict] = {}
    for key, value in reply.items():
        match = re.fullmatch(rf"(?:{form.noun})?[\s_#-]*0*(\d{{1,4}})", key.strip().casefold())
        number = int(match.group(1)) if match else 0
        verdict = _verdict(form, value) if 1 <= number <= items else None
        if verdict is None:
            continue
        if number in found and found[number].value != verdict.value:
            return {}
        found[number] = verdict
    if not found and items == 1 and (alone := _verdict(form, reply)) is not None:
        found[1] = alone
    return found


def _verdict(form: Form, value: Any) -> Verdict | None:
    if not isinstance(value, Mapping):
        score = binary_score(value)
        return None if score is None else Verdict(score)
    scores = {binary_score(value[name]) for name in (form.score, "binary_score") if name in value}
    if len(scores) != 1 or (score := scores.pop()) is None:
        return None
    reason = value.get("reason")
    words = " ".join(reason.split())[:300] if isinstance(reason, str) else ""
    told = words.encode("utf-8", "replace").decode("utf-8")  # half of a pair can be in no file
    return Verdict(score, told or None)


def binary_score(value: Any) -> bool | None:
    """Yes or no, however it is decorated; None for everything else, never a default."""
    if isinstance(value, bool):
        return value
    return _WORDS.get(value.strip(_DECORATION).casefold()) if isinstance(value, str) else None
