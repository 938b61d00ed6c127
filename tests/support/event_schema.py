"""The JSON Schema of the lines of `--events`, made from the types they have in the program."""

from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from rag.ingest.ingest_report import IngestReport
from rag.research.report import REPORT_SCHEMA, Report
from state.answer import ANSWER_SCHEMA, Answer
from state.events import ErrorEvent, Event, IngestEvent
from state.research_events import ResearchEvent

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}

STREAMS: dict[str, tuple[Any, ...]] = {
    "ask": (*get_args(Event), Answer, ErrorEvent),
    "research": (*get_args(ResearchEvent), Report, ErrorEvent),
    "ingest": (*get_args(IngestEvent), IngestReport, ErrorEvent),
}
"""What a line of each command's stream may be."""

_NAMED = {"Answer": ANSWER_SCHEMA, "Report": REPORT_SCHEMA, "IngestReport": "crag.ingest/1"}
"""The `schema` field of the objects that end a stream."""

INSIDE = "AnswerEvent"
"""Never printed: the answer stands by itself."""


def event_schema(stream: str) -> dict[str, Any]:
    """Of a line of that command's stream: an object has no field that its type does not name."""
    kinds: dict[str, Any] = {}
    lines = [_schema(kind, kinds) for kind in STREAMS[stream] if kind.__name__ != INSIDE]
    return {"oneOf": lines, "$defs": kinds}


def _schema(kind: Any, kinds: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type; an object's goes into `kinds` once and is referred to."""
    arguments = get_args(kind)
    match get_origin(kind):
        case None if kind in _PLAIN:
            schema: dict[str, Any] = {"type": _PLAIN[kind]}
        case None if hasattr(kind, "__annotations__"):
            schema = _object(kind, kinds)
        case origin if origin is Literal:
            schema = {"enum": list(arguments)}
        case origin if origin in (Union, UnionType):
            schema = {"anyOf": [_schema(argument, kinds) for argument in arguments]}
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
        kinds[name] = {
            "type": "object",
            "properties": fields,
            "required": [key for key in fields if key not in optional],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}
