"""A BERT's weights as one ONNX graph whose matrices are int8. Its inputs are int64 of shape (texts,
tokens).

A matrix has a scale a column, an embedding table one a row; what they are multiplied with is
quantized as it comes (Jacob et al. 2018, "Quantization and Training of Neural Networks").
Attention, activation and the product with a matrix are operators of ONNX Runtime's own.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

HEAD_WIDTH = 32
_LARGEST = 127
FLOAT, INT32, INT64 = 1, 6, 7
_IR_VERSION, _OPSET = 9, 17
_KINDS = {"float32": FLOAT, "int8": 3, "int64": INT64}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2
_OWN = "com.microsoft"
"""Where ONNX Runtime keeps operators that are no part of ONNX."""
_OWN_KINDS = frozenset({"DynamicQuantizeMatMul", "MultiHeadAttention", "Gelu"})
_WORDS = "embeddings.word_embeddings.weight"
_KINDS_OF_TEXT = "embeddings.token_type_embeddings.weight"
Matrix = npt.NDArray[np.float32]
Field = tuple[int, Any]
"""The number and value of a field: an int, a float, a text, or the bytes of a message."""


class _Graph:
    def __init__(self, weights: Mapping[str, Matrix]) -> None:
        self.weights = weights
        self.nodes: list[bytes] = []
        self.constants: dict[str, bytes] = {}

    def constant(self, name: str, values: Any, kind: Any = np.float32) -> str:
        if name not in self.constants:
            self.constants[name] = tensor(name, np.ascontiguousarray(values, dtype=kind))
        return name

    def add(self, kind: str, inputs: list[str], output: str = "", **attributes: float) -> str:
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(node(kind, inputs, output, attributes))
        return output

    def rows(self, name: str, places: str) -> str:
        """The rows of an embedding table, which is kept as int8."""
        whole = self.weights[name]
        scale = np.maximum(np.abs(whole).max(axis=1, keepdims=True), 1e-12) / _LARGEST
        held = self.constant(name, np.rint(whole / scale), np.int8)
        found = self.add("Cast", [self.add("Gather", [held, places])], to=FLOAT)
        scales = self.add("Gather", [self.constant(f"{name}.scale", scale), places])
        return self.add("Mul", [found, scales])

    def linear(self, values: str, name: str) -> str:
        """`values`, quantized as they come, times a matrix and its bias."""
        matrix = self.weights[f"{name}.weight"].T
        scale = np.maximum(np.abs(matrix).max(axis=0), 1e-12) / _LARGEST
        held = self.constant(f"{name}.matrix", np.rint(matrix / scale), np.int8)
        scales = self.constant(f"{name}.scale", scale)
        bias = self.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        return self.add("DynamicQuantizeMatMul", [values, held, scales, "", bias])

    def normal(self, values: str, name: str) -> str:
        sides = [self.constant(f"{name}.{n}", self.weights[f"{name}.{n}"]) for n in _SIDES]
        return self.add("LayerNormalization", [values, *sides], axis=-1, epsilon=1e-12)


_SIDES = ("weight", "bias")


def encoder_graph(weights: Mapping[str, Matrix]) -> bytes:
    """The bytes of the file, with as many layers, heads and positions as the weights have. The
    output is `vectors`, float32 of shape (texts, tokens, width): the last layer's, of length 1.

    Raises:
        KeyError: they are not those of a BERT encoder.
    """
    graph = _Graph(weights)
    last = _encoded(graph, graph.constant("kind", weights[_KINDS_OF_TEXT][0]))
    graph.add("LpNormalization", [last], "vectors", axis=-1, p=2)
    width = weights[_WORDS].shape[1]
    return _file(graph, ["ids", "mask"], value_info("vectors", FLOAT, ["texts", "tokens", width]))


def classifier_graph(weights: Mapping[str, Matrix]) -> bytes:
    """The same for a BERT that scores pairs of texts: `kinds` says which tokens are of the second,
    and the output is `score`, float32 of shape (texts, 1, 1).

    Raises:
        KeyError: they are not those of a BERT with a classifier.
    """
    graph = _Graph(weights)
    kinds = graph.add("Gather", [graph.constant("kind", weights[_KINDS_OF_TEXT]), "kinds"])
    last = _encoded(graph, kinds)
    first = graph.add("Gather", [last, graph.constant("first", [0], np.int64)], axis=1)
    pooled = graph.add("Tanh", [graph.linear(first, "pooler.dense")])
    graph.add("Identity", [graph.linear(pooled, "classifier")], "score")
    return _file(graph, ["ids", "mask", "kinds"], value_info("score", FLOAT, ["texts", 1, 1]))


def _encoded(graph: _Graph, kinds: str) -> str:
    values = _embedded(graph, kinds)
    mask = graph.add("Cast", ["mask"], to=INT32)
    layer, heads = 0, graph.weights[_WORDS].shape[1] // HEAD_WIDTH
    while f"encoder.layer.{layer}.output.dense.weight" in graph.weights:
        values = _layer(graph, values, mask, f"encoder.layer.{layer}", heads)
        layer += 1
    return values


def _file(graph: _Graph, inputs: Iterable[str], output: bytes) -> bytes:
    made = message(
        *((1, each) for each in graph.nodes),
        (2, "encoder"),
        *((5, each) for each in graph.constants.values()),
        *((11, value_info(name, INT64, ["texts", "tokens"])) for name in inputs),
        (12, output),
    )
    known = (message((1, domain), (2, version)) for domain, version in (("", _OPSET), (_OWN, 1)))
    return message((1, _IR_VERSION), (7, made), *((8, each) for each in known))


def _embedded(graph: _Graph, kinds: str) -> str:
    shape = graph.add("Shape", ["ids"], start=1, end=2)
    first = graph.constant("first", [0], np.int64)
    table = graph.weights["embeddings.position_embeddings.weight"]
    places = graph.add("Slice", [graph.constant("places", table), first, shape, first])
    words = graph.add("Add", [graph.rows(_WORDS, "ids"), places])
    return graph.normal(graph.add("Add", [words, kinds]), "embeddings.LayerNorm")


def _layer(graph: _Graph, values: str, mask: str, name: str, heads: int) -> str:
    parts = [graph.linear(values, f"{name}.attention.self.{n}") for n in ("query", "key", "value")]
    seen = graph.add("MultiHeadAttention", [*parts, "", mask], num_heads=heads)
    attended = graph.add("Add", [values, graph.linear(seen, f"{name}.attention.output.dense")])
    values = graph.normal(attended, f"{name}.attention.output.LayerNorm")
    inner = graph.add("Gelu", [graph.linear(values, f"{name}.intermediate.dense")])
    outer = graph.add("Add", [values, graph.linear(inner, f"{name}.output.dense")])
    return graph.normal(outer, f"{name}.output.LayerNorm")


def message(*fields: Field) -> bytes:
    """A message of Protocol Buffers (onnx.proto, IR 9)."""
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
