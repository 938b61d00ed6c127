"""A BERT encoder's weights as one ONNX graph whose matrices are int8.

Inputs are `ids` and `mask`, int64 of shape (texts, tokens); the output is `vectors`, float32 of
shape (texts, tokens, width): the last layer's, of length 1.
A matrix has a scale a column, an embedding table one a row; what they are multiplied with is
quantized as it comes (Jacob et al. 2018, "Quantization and Training of Neural Networks").
Attention, activation and the product with a matrix are operators of ONNX Runtime's own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rag.embed import onnx_file
from rag.embed.onnx_file import FLOAT, INT32, INT64

HEAD_WIDTH = 32
_LARGEST = 127


class _Graph:
    def __init__(self, weights: dict[str, npt.NDArray[np.float32]]) -> None:
        self.weights = weights
        self.nodes: list[bytes] = []
        self.constants: dict[str, bytes] = {}

    def constant(self, name: str, values: Any, kind: Any = np.float32) -> str:
        if name not in self.constants:
            array = np.ascontiguousarray(values, dtype=kind)
            self.constants[name] = onnx_file.tensor(name, array)
        return name

    def add(self, kind: str, inputs: list[str], output: str = "", **attributes: float) -> str:
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(onnx_file.node(kind, inputs, output, attributes))
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


def encoder_graph(weights: dict[str, npt.NDArray[np.float32]]) -> bytes:
    """The bytes of the file, with as many layers, heads and positions as the weights have.

    Raises:
        KeyError: they are not those of a BERT encoder.
    """
    graph = _Graph(weights)
    width = weights["embeddings.word_embeddings.weight"].shape[1]
    values = _embedded(graph)
    mask = graph.add("Cast", ["mask"], to=INT32)
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in weights:
        values = _layer(graph, values, mask, f"encoder.layer.{layer}", width // HEAD_WIDTH)
        layer += 1
    graph.add("LpNormalization", [values], "vectors", axis=-1, p=2)
    inputs = [onnx_file.value_info(name, INT64, ["texts", "tokens"]) for name in ("ids", "mask")]
    output = onnx_file.value_info("vectors", FLOAT, ["texts", "tokens", width])
    return onnx_file.model("encoder", graph.nodes, graph.constants.values(), inputs, output)


def _embedded(graph: _Graph) -> str:
    shape = graph.add("Shape", ["ids"], start=1, end=2)
    first = graph.constant("first", [0], np.int64)
    table = graph.weights["embeddings.position_embeddings.weight"]
    places = graph.add("Slice", [graph.constant("places", table), first, shape, first])
    words = graph.add("Add", [graph.rows("embeddings.word_embeddings.weight", "ids"), places])
    kind = graph.constant("kind", graph.weights["embeddings.token_type_embeddings.weight"][0])
    return graph.normal(graph.add("Add", [words, kind]), "embeddings.LayerNorm")


def _layer(graph: _Graph, values: str, mask: str, name: str, heads: int) -> str:
    parts = [graph.linear(values, f"{name}.attention.self.{n}") for n in ("query", "key", "value")]
    seen = graph.add("MultiHeadAttention", [*parts, "", mask], num_heads=heads)
    attended = graph.add("Add", [values, graph.linear(seen, f"{name}.attention.output.dense")])
    values = graph.normal(attended, f"{name}.attention.output.LayerNorm")
    inner = graph.add("Gelu", [graph.linear(values, f"{name}.intermediate.dense")])
    outer = graph.add("Add", [values, graph.linear(inner, f"{name}.output.dense")])
    return graph.normal(outer, f"{name}.output.LayerNorm")


def optimize(exported: Path, made: Path) -> None:
    """Writes to `made` what this runtime would make of an exported graph at each start.

    Raises:
        ValueError: it is no graph.
    """
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED  # the same for all processors
    options.graph_optimization_level = level
    options.optimized_model_filepath = str(made)
    try:
        onnxruntime.InferenceSession(str(exported), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001 - their classes have no base of their own
        raise ValueError(str(error)) from None
