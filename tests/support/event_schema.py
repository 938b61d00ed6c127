"""The JSON Schema of the lines of `--events`, made from the types they have in the program."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from rag.research.report import REPORT_SCHEMA, Report
from state.answer import ANSWER_SCHEMA, Answer
from state.events import ErrorEvent, Event, IngestEvent, IngestResult
from state.research_events import ResearchEvent

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}

STREAMS: dict[str, tuple[Any, ...]] = {
    "ask": (*get_args(Event), Answer, ErrorEvent),
    "research": (*get_args(ResearchEvent), Report, ErrorEvent),
    "ingest": (*get_args(IngestEvent), IngestResult, ErrorEvent),
}
"""What a line of each command's stream may be."""

_NAMED = {"Answer": ANSWER_SCHEMA, "Report": REPORT_SCHEMA}
"""The `schema` field of the objects that end a stream."""

INSIDE = "AnswerEvent"
"""Never printed: the answer stands by itself."""


def event_schema() -> dict[str, Any]:
    """One schema; `#/$defs/ask`, `research` and `ingest` are those of one stream's lines.

    Objects may gain fields in later versions; none that is here is taken away or changes its
    type.
    """
    kinds: dict[str, Any] = {}
    streams = {
        name: {"oneOf": [_schema(kind, kinds) for kind in lines if kind.__name__ != INSIDE]}
        for name, lines in STREAMS.items()
    }
    return {
        "$schema": _DRAFT,
        "title": "A line of `crag ask|research|ingest --events`",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in streams],
        "$defs": {**streams, **dict(sorted(kinds.items()))},
    }


def _schema(kind: Any, kinds: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type; a TypedDict's goes into `kinds` once and is referred to."""
    arguments = get_args(kind)
    match get_origin(kind):
        case None if kind in _PLAIN:
            schema: dict[str, Any] = {"type": _PLAIN[kind]}
        case None if hasattr(kind, "__required_keys__"):
            schema = _object(kind, kinds)
        case origin if origin is Literal:
            schema = {"enum": list(arguments)}
        case origin if origin in (Union, UnionType):
            schema = _either([_schema(argument, kinds) for argument in arguments])
        case origin if origin is list:
            schema = {"type": "array", "items": _schema(arguments[0], kinds)}
        case origin if origin is dict:
            schema = {"type": "object", "additionalProperties": _schema(arguments[1], kinds)}
        case origin if origin is tuple:
            items = [_schema(argument, kinds) for argument in arguments]
            size = len(items)
            schema = {"type": "array", "prefixItems": items, "minItems": size, "maxItems": size}
        case _:
            raise TypeError(f"{kind} has no JSON Schema here: use TypedDicts and plain types")
    return schema


def _either(parts: list[dict[str, Any]]) -> dict[str, Any]:
    if all(set(part) == {"type"} for part in parts):
        return {"type": [part["type"] for part in parts]}
    return {"anyOf": parts}


def _object(kind: Any, kinds: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if name not in kinds:
        kinds[name] = {}
        hints = get_type_hints(kind, include_extras=True)
        optional = {key for key, hint in hints.items() if get_origin(hint) is NotRequired}
        fields = {
            key: _schema(get_args(hint)[0] if key in optional else hint, kinds)
            for key, hint in hints.items()
        }
        if name in _NAMED:
            fields["schema"] = {"const": _NAMED[name]}
        described = " ".join((kind.__doc__ or "").split())
        kinds[name] = {
            **({"description": described} if described and "dict(" not in described else {}),
            "type": "object",
            "properties": fields,
            "required": [key for key in fields if key not in optional],
        }
    return {"$ref": f"#/$defs/{name}"}
