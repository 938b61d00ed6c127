"""Writes an ONNX file: a few messages of Protocol Buffers (onnx.proto, IR 9)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

import numpy.typing as npt

FLOAT, INT32, INT64 = 1, 6, 7
_IR_VERSION, _OPSET = 9, 17
_KINDS = {"float32": FLOAT, "int8": 3, "int64": INT64}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2
_OWN = "com.microsoft"
"""Where ONNX Runtime keeps operators that are no part of ONNX."""
_OWN_KINDS = frozenset({"DynamicQuantizeMatMul", "MultiHeadAttention", "Gelu"})
Field = tuple[int, Any]
"""The number and value of a field: an int, a float, a text, or the bytes of a message."""


def message(*fields: Field) -> bytes:
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: Any) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    held = value.encode() if isinstance(value, str) else bytes(value)
    return _varint(number << 3 | 2) + _varint(len(held)) + held


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # a negative one as its two's complement
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def tensor(name: str, values: npt.NDArray[Any]) -> bytes:
    dimensions = ((1, size) for size in values.shape)
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return message(*dimensions, (2, _KINDS[values.dtype.name]), (8, name), (9, little.tobytes()))


def node(kind: str, inputs: Iterable[str], output: str, attributes: Mapping[str, float]) -> bytes:
    given = ((5, _attribute(name, value)) for name, value in attributes.items())
    places = (*((1, each) for each in inputs), (2, output))
    return message(*places, (4, kind), *given, (7, _OWN if kind in _OWN_KINDS else ""))


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, float):
        return message((1, name), (2, value), (20, _ATTRIBUTE_FLOAT))
    return message((1, name), (3, value), (20, _ATTRIBUTE_INT))


def value_info(name: str, kind: int, shape: Iterable[str | int]) -> bytes:
    """An input or the output of a graph; a dimension is a number or a name."""
    sizes = ((1, message((2 if isinstance(size, str) else 1, size))) for size in shape)
    of_tensor = message((1, kind), (2, message(*sizes)))
    return message((1, name), (2, message((1, of_tensor))))


def model(
    name: str,
    nodes: Iterable[bytes],
    tensors: Iterable[bytes],
    inputs: Iterable[bytes],
    output: bytes,
) -> bytes:
    graph = message(
        *((1, each) for each in nodes),
        (2, name),
        *((5, each) for each in tensors),
        *((11, each) for each in inputs),
        (12, output),
    )
    known = (message((1, domain), (2, version)) for domain, version in (("", _OPSET), (_OWN, 1)))
    return message((1, _IR_VERSION), (7, graph), *((8, each) for each in known))
