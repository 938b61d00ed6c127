"""A stored turn as bytes: its JSON, deflated against a dictionary of the JSON's own words."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from state.answer import Answer
from state.errors import DamagedError, StorageError
from state.turns import CitedFile

FORMAT = b"\x01"
MAX_TURN_BYTES = 64 * 1024 * 1024

# What every turn says: deflate then spends its bytes on the text alone. Part of format 1,
# never to be edited (another dictionary is another format byte).
_DICTIONARY = (
    b'"history":"contextualize""transform_query","reason":"no better query","embedder":"builtin'
    b'"model":null,"local""openai""partial""abstained""unsupported""supported","cost_usd":null,'
    b'"answer":{"schema":"crag.answer/1","status":"answered","question":"","standalone_question":'
    b'"","answer":" [1] [2] [3]","citations":[{"marker":1,"source":"","title":null,"page":null,'
    b'"start_line":1,"end_line":1,"start_char":0,"end_char":0,"chunk_id":"","quote":"","support":'
    b'"verbatim"},{"marker":2,"source":"","title":"","page":1,"start_line":'
    b'"loops":[{"loop":0,"query":"","new_chunks":8,"decision":"generate","reason":"","chunks":'
    b'[{"chunk_id":"","source":"","score":0.,"relevant":true,"confidence":0.,"reason":null},'
    b'{"chunk_id":"","source":"","score":1.,"relevant":false,"confidence":null,"reason":"'
    b'"loop_count":0,"max_loops":3,"generation_retries":0,"engine":{"name":"local","model":null,'
    b'"embedder":""},"usage":{"llm_calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0,'
    b'"by_node":{"grade_documents":{"llm_calls":1,"input_tokens":0,"output_tokens":0,"cost_usd":'
    b'0.0},"generate":{"llm_calls":1,"input_tokens":0,"output_tokens":0,"cost_usd":0.0}}},'
    b'"timings_ms":{"total":0.,"start_turn":0.,"contextualize":0.,"retrieve":0.,'
    b'"grade_documents":0.,"refine":0.,"generate":0.,"check_answer":0.,"record_turn":0.},'
    b'"thread":null,"turn":0,"trace_id":"","warnings":[]},"files":{}'
)


class KeptTurn(NamedTuple):
    """What is kept of a turn; `collection` is what was asked."""

    answer: Answer
    files: dict[str, CitedFile]
    collection: str | None


def encode_turn(
    answer: Answer, files: Mapping[str, CitedFile], collection: str | None = None
) -> bytes:
    """The bytes to keep; `decode_turn` gives back exactly what went in.

    Raises:
        StorageError: the turn is larger than any turn can be.
    """
    kept = KeptTurn(answer, dict(files), collection)._asdict()
    body = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
    raw = body.encode("utf-8", "surrogatepass")
    if len(raw) > MAX_TURN_BYTES:
        raise StorageError(f"A turn of {len(raw)} bytes cannot be kept.")
    packer = zlib.compressobj(level=9, zdict=_DICTIONARY)
    return FORMAT + packer.compress(raw) + packer.flush()


def decode_turn(body: bytes, what: str = "A stored turn") -> KeptTurn:
    """The turn; `what` names it in errors.

    Raises:
        StorageError: the bytes are damaged or of a later format.
    """
    if body[:1] != FORMAT:
        raise StorageError(f"{what} has an unknown format.", "Use a newer crag.")
    unpacker = zlib.decompressobj(zdict=_DICTIONARY)
    try:
        raw = unpacker.decompress(body[1:], MAX_TURN_BYTES)
        kept: dict[str, Any] = json.loads(raw.decode("utf-8", "surrogatepass"))
        return KeptTurn(**kept)
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise DamagedError(
            f"{what} is damaged ({error}).",
            "Restore the threads from a backup, or delete the thread.",
        ) from None
