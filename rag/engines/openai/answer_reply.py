"""Defines the schema in which an answer is asked for, and reads a reply, whatever its form.

A part's text stands before its quotes, at least one part is asked for, and whether the documents
hold the answer is a field behind the parts: small models fill in such a schema, but leave one empty
that begins with quotes or with a way out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field
from pydantic_core import from_json

from rag.engines.openai.plain_reply import read_parts, without_markers
from rag.engines.openai.reply import json_object
from rag.engines.protocol import Generated
from state.answer import AnswerPart, DraftQuote
from state.wording import without_surrogates

MOST_PARTS, MOST_QUOTES, MOST_MISSING = 40, 8, 8
LONGEST = 4_000
_SHORT: dict[str, Any] = {"maxLength": 400}
_OPENS_A_LINE = re.compile(r"\s*(?:[-*+•] |\d{1,3}[.)] |#{1,6} |\||`{3}|~{3})")
_RULE = re.compile(r"[\s|:\-=*_+]+$")
_INTRODUCES = re.compile(
    rf"[^\n]*:$|\s{{0,3}}#{{1,6}}\s[^\n]*$|\s{{0,3}}\*\*[^*\n]{{1,80}}\*\*$|{_RULE.pattern}"
)
"""Matches a line that only introduces: one that ends with a colon, a heading, a rule."""
_UNSAID = " \t\r\n.…"
"""A text of these only says nothing: small models copy the dots of the shape they are told."""
_NO_CONTROLS = dict.fromkeys(range(32), " ")


class Quote(BaseModel):
    """Words copied from the document of that number."""

    document: int
    quote: str = Field(json_schema_extra=_SHORT)


class Part(BaseModel):
    """A sentence, an item, a row or a block of code of the answer, then the words that prove it."""

    text: str = Field(json_schema_extra={"maxLength": 800})
    quotes: list[Quote]


class AnswerReply(BaseModel):
    """An answer from the documents."""

    parts: list[Part] = Field(json_schema_extra={"minItems": 1, "maxItems": 12})
    held: bool = Field(description="whether the documents hold an answer to any of the question")
    missing: list[str] = Field(
        description="what the question asks and the documents do not say",
        json_schema_extra={"maxItems": 4},
    )


@dataclass(frozen=True, slots=True)
class ReadReply(Generated):
    """A reply as read. It is `formed` if it has the schema asked for; `held` is the model's word on
    whether the documents hold an answer.
    """

    held: bool = True
    formed: bool = False

    @property
    def quotes(self) -> bool:
        return any(part["quotes"] for part in self.parts)


def read_reply(text: str, *, formed: bool = True) -> ReadReply:
    """The answer that a reply holds, whether it was asked for in JSON (`formed`) or not. A reply in
    no known form is read as sentences with their markers, and so is JSON that such a one quotes.
    """
    is_json = text.startswith("{") or (formed and text.startswith("```json"))
    found = json_object(text)
    told = found or (_begun_object(text) if is_json else {})
    if isinstance(told.get("parts"), list):
        return _read(told, complete=bool(found))
    if is_json:  # it has another shape
        return ReadReply(complete=False)
    return ReadReply(_with_lead_ins(read_parts(text)))


def _read(reply: Mapping[str, Any], *, complete: bool) -> ReadReply:
    missing = reply.get("missing")
    listed = missing if isinstance(missing, list) else [missing]
    lacking = [
        " ".join(without_surrogates(each).split())[:300]
        for each in listed[:MOST_MISSING]
        if isinstance(each, str) and each.strip()
    ]
    held = reply.get("held") not in (False, "false", "no")
    parts = _with_lead_ins(parse_parts(reply["parts"]))
    return ReadReply(parts, missing=lacking, complete=complete, held=held, formed=True)


def parse_parts(told: Sequence[Any]) -> list[AnswerPart]:
    """The items of a list that have a text, whatever else is wrong with them."""
    parts: list[AnswerPart] = []
    for each in told[:MOST_PARTS]:
        part = each if isinstance(each, Mapping) else {"text": each}
        text, above = part.get("text"), parts[-1]["text"] if parts else ""
        if isinstance(text, str) and text.strip(_UNSAID):
            parts.append(_part(text, _quotes(part.get("quotes")), above))
    return parts


def _quotes(told: Any) -> list[DraftQuote]:
    found: list[DraftQuote] = []
    for each in told[:MOST_QUOTES] if isinstance(told, list) else []:
        if not isinstance(each, Mapping):
            continue
        number = re.search(r"\d{1,4}", str(each.get("document")))
        quote = each.get("quote")
        if number is not None and isinstance(quote, str) and quote.strip():
            found.append({"document": int(number[0]), "quote": without_surrogates(quote)[:LONGEST]})
    return found


def _part(text: str, quotes: list[DraftQuote], above: str) -> AnswerPart:
    text = without_markers(without_surrogates(text)).strip()[:LONGEST]
    own_line = _OPENS_A_LINE.match(text) or _OPENS_A_LINE.match(above.rpartition("\n")[2])
    before = "\n" if own_line else " "
    if (text.startswith("```") or "\n" in text or "\n" in above) and above:
        before = "\n\n" if not _OPENS_A_LINE.match(text) or text.startswith("```") else "\n"
    return {"before": before, "text": text, "quotes": quotes, "located": []}


def _with_lead_ins(parts: list[AnswerPart]) -> list[AnswerPart]:
    """Joins a part that only introduces the next one to it, and so a table's header to its rows."""
    led: list[AnswerPart] = []
    for part in parts:
        above = led[-1] if led else None
        if (
            above is not None
            and not above["quotes"]
            and (
                _INTRODUCES.match(above["text"].rpartition("\n")[2])
                or _RULE.match(part["text"])
                or "|" in part["before"]  # of a plain reply the rule below a table's header
            )
        ):
            text = above["text"] + part["before"] + part["text"]
            led[-1] = {**part, "before": above["before"], "text": text}
        else:
            led.append(part)
    return led


def partial_texts(reply: str) -> list[str]:
    """The parts' texts in a JSON reply that is not complete yet."""
    parts = _begun_object(reply).get("parts")
    begun = parts if isinstance(parts, list) else []
    texts = [part.get("text") for part in begun if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str) and text.strip(_UNSAID)]


def _begun_object(reply: str) -> Mapping[str, Any]:
    """The JSON object that the reply begins and does not end."""
    begun = reply[reply.find("{") :].translate(_NO_CONTROLS)
    with suppress(ValueError):
        told = from_json(begun, allow_partial="trailing-strings")
        return told if isinstance(told, dict) else {}
    return {}
