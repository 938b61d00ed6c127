"""A BERT's weights as one ONNX graph whose matrices are int8. Its inputs are int64 of shape (texts,
tokens).

A matrix has a scale a column, an embedding table one a row; what they are multiplied with is
quantized as it comes (Jacob et al. 2018, "Quantization and Training of Neural Networks").
Attention, activation and the product with a matrix are operators of ONNX Runtime's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import NodeProto, TensorProto, helper, numpy_helper

HEAD_WIDTH = 32
_LARGEST = 127
_IR_VERSION, _OPSET = 9, 17
_OWN = "com.microsoft"
"""Where ONNX Runtime keeps operators that are no part of ONNX."""
_OWN_KINDS = frozenset({"DynamicQuantizeMatMul", "MultiHeadAttention", "Gelu"})
_WORDS = "embeddings.word_embeddings.weight"
_KINDS_OF_TEXT = "embeddings.token_type_embeddings.weight"
_SIDES = ("weight", "bias")
Matrix = npt.NDArray[np.float32]


class _Graph:
    def __init__(self, weights: Mapping[str, Matrix]) -> None:
        self.weights = weights
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, TensorProto] = {}

    def constant(self, name: str, values: Any, kind: Any = np.float32) -> str:
        if name not in self._constants:
            held = np.ascontiguousarray(values, dtype=kind)
            self._constants[name] = numpy_helper.from_array(held, name)
        return name

    def add(self, kind: str, inputs: list[str], output: str = "", **attributes: Any) -> str:
        output = output or f"{kind}_{len(self._nodes)}"
        domain = _OWN if kind in _OWN_KINDS else ""
        made = helper.make_node(kind, inputs, [output], domain=domain, **attributes)
        self._nodes.append(made)
        return output

    def rows(self, name: str, places: str) -> str:
        """The rows of an embedding table, which is kept as int8."""
        whole = self.weights[name]
        scale = np.maximum(np.abs(whole).max(axis=1, keepdims=True), 1e-12) / _LARGEST
        held = self.constant(name, np.rint(whole / scale), np.int8)
        found = self.add("Cast", [self.add("Gather", [held, places])], to=TensorProto.FLOAT)
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

    def file(self, inputs: Sequence[str], output: str, shape: Sequence[str | int]) -> bytes:
        """The bytes of the file; the output is float32."""
        taken = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
            for name in inputs
        ]
        given = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
        constants = [*self._constants.values()]
        made = helper.make_graph(self._nodes, "encoder", taken, given, constants)
        known = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_OWN, 1)]
        model = helper.make_model(made, opset_imports=known, ir_version=_IR_VERSION)
        whole: bytes = model.SerializeToString()
        return whole


def encoder_graph(weights: Mapping[str, Matrix]) -> bytes:
    """The bytes of the file, with as many layers, heads and positions as the weights have. The
    output is `vectors`, float32 of shape (texts, tokens, width): the last layer's, of length 1.

    Raises:
        KeyError: they are not those of a BERT encoder.
    """
    graph = _Graph(weights)
    last = _encoded(graph, graph.constant("kind", weights[_KINDS_OF_TEXT][0]))
    graph.add("LpNormalization", [last], "vectors", axis=-1, p=2)
    return graph.file(["ids", "mask"], "vectors", ["texts", "tokens", weights[_WORDS].shape[1]])


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
    return graph.file(["ids", "mask", "kinds"], "score", ["texts", 1, 1])


def _encoded(graph: _Graph, kinds: str) -> str:
    values = _embedded(graph, kinds)
    mask = graph.add("Cast", ["mask"], to=TensorProto.INT32)
    layer, heads = 0, graph.weights[_WORDS].shape[1] // HEAD_WIDTH
    while f"encoder.layer.{layer}.output.dense.weight" in graph.weights:
        values = _layer(graph, values, mask, f"encoder.layer.{layer}", heads)
        layer += 1
    return values


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
