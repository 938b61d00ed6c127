"""A BERT encoder's weights as one ONNX graph whose matrices are int8.

`ids` and `mask`, int64 of shape (texts, tokens), to `vectors`, float32 of shape (texts, tokens,
width): the last layer's, of length 1.
A matrix has a scale a column, an embedding table one a row; what they are multiplied with is
quantized as it comes (Jacob et al. 2018, "Quantization and Training of Neural Networks").
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rag.embed import onnx_file
from rag.embed.onnx_file import FLOAT, INT64

HEAD_WIDTH = 32
_HEADER_BYTES = 1 << 20
_LARGEST = 127


def read_tensors(file: Path) -> dict[str, npt.NDArray[np.float32]]:
    """The float32 tensors of a safetensors file.

    Raises:
        ValueError, KeyError: it is none.
    """
    with file.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        if size > _HEADER_BYTES:
            raise ValueError("no safetensors file")
        header = json.loads(stream.read(size))
    found = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            count = math.prod(entry["shape"])
            held = np.fromfile(file, "<f4", count, offset=8 + size + entry["data_offsets"][0])
            found[name] = held.reshape(entry["shape"])
    return found


class _Graph:
    """Nodes and constants, as they are written down one after the other."""

    def __init__(self, weights: dict[str, npt.NDArray[np.float32]]) -> None:
        self.weights = weights
        self.nodes: list[bytes] = []
        self.constants: dict[str, bytes] = {}

    def constant(self, name: str, values: Any, kind: Any = np.float32) -> str:
        if name not in self.constants:
            array = np.ascontiguousarray(values, dtype=kind)
            self.constants[name] = onnx_file.tensor(name, array)
        return name

    def add(self, kind: str, inputs: list[str], outputs: int = 1, **attributes: Any) -> Any:
        names = [f"{kind}_{len(self.nodes)}_{n}" for n in range(outputs)]
        self.nodes.append(onnx_file.node(kind, inputs, names, attributes))
        return names[0] if outputs == 1 else names

    def rows(self, name: str, places: str) -> str:
        """The rows of an embedding table, which is kept as int8."""
        whole = self.weights[name]
        scale = np.maximum(np.abs(whole).max(axis=1, keepdims=True), 1e-12) / _LARGEST
        held = self.constant(name, np.rint(whole / scale), np.int8)
        found = self.add("Cast", [self.add("Gather", [held, places])], to=FLOAT)
        scales = self.add("Gather", [self.constant(f"{name}.scale", scale), places])
        return str(self.add("Mul", [found, scales]))

    def quantized(self, values: str) -> list[str]:
        """uint8, its scale and its zero, found anew for each input."""
        return list(self.add("DynamicQuantizeLinear", [values], 3))

    def linear(self, values: list[str], name: str) -> str:
        """`values`, quantized, times a matrix and its bias."""
        matrix = self.weights[f"{name}.weight"].T
        scale = np.maximum(np.abs(matrix).max(axis=0), 1e-12) / _LARGEST
        held = self.constant(f"{name}.matrix", np.rint(matrix / scale), np.int8)
        product = self.add("MatMulInteger", [values[0], held, values[2]])
        scales = self.add("Mul", [values[1], self.constant(f"{name}.scale", scale)])
        real = self.add("Mul", [self.add("Cast", [product], to=FLOAT), scales])
        bias = self.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        return str(self.add("Add", [real, bias]))

    def normal(self, values: str, name: str) -> str:
        sides = [self.constant(f"{name}.{n}", self.weights[f"{name}.{n}"]) for n in _SIDES]
        return str(self.add("LayerNormalization", [values, *sides], axis=-1, epsilon=1e-12))

    def gelu(self, values: str) -> str:
        root = self.add("Div", [values, self.constant("root_of_two", math.sqrt(2))])
        bent = self.add("Add", [self.add("Erf", [root]), self.constant("one", 1)])
        return str(self.add("Mul", [self.add("Mul", [values, self.constant("half", 0.5)]), bent]))


_SIDES = ("weight", "bias")


def encoder_graph(weights: dict[str, npt.NDArray[np.float32]]) -> bytes:
    """The file. Of as many layers, heads and tokens as the weights have.

    Raises:
        KeyError: they are not those of a BERT encoder.
    """
    graph = _Graph(weights)
    width = weights["embeddings.word_embeddings.weight"].shape[1]
    values = _embedded(graph)
    mask = graph.add("Cast", ["mask"], to=FLOAT)
    left_out = graph.add("Sub", [mask, graph.constant("one", 1)])
    wide = graph.add("Unsqueeze", [left_out, graph.constant("to_heads", [1, 2], np.int64)])
    masked = graph.add("Mul", [wide, graph.constant("much", 1e9)])
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in weights:
        values = _layer(graph, values, masked, f"encoder.layer.{layer}", width)
        layer += 1
    length = {"axis": -1, "p": 2}
    graph.nodes.append(onnx_file.node("LpNormalization", [values], ["vectors"], length))
    inputs = [onnx_file.value_info(name, INT64, ["texts", "tokens"]) for name in ("ids", "mask")]
    output = onnx_file.value_info("vectors", FLOAT, ["texts", "tokens", width])
    return onnx_file.model("encoder", graph.nodes, graph.constants.values(), inputs, [output])


def _embedded(graph: _Graph) -> str:
    shape = graph.add("Shape", ["ids"], start=1, end=2)
    first = graph.constant("first", [0], np.int64)
    table = graph.weights["embeddings.position_embeddings.weight"]
    places = graph.add("Slice", [graph.constant("places", table), first, shape, first])
    words = graph.add("Add", [graph.rows("embeddings.word_embeddings.weight", "ids"), places])
    kind = graph.constant("kind", graph.weights["embeddings.token_type_embeddings.weight"][0])
    return graph.normal(graph.add("Add", [words, kind]), "embeddings.LayerNorm")


def _layer(graph: _Graph, values: str, masked: str, name: str, width: int) -> str:
    heads = graph.constant("heads", [0, 0, width // HEAD_WIDTH, HEAD_WIDTH], np.int64)
    whole = graph.constant("whole", [0, 0, width], np.int64)
    given = graph.quantized(values)
    query, key, value = (
        graph.add(
            "Transpose",
            [graph.add("Reshape", [graph.linear(given, f"{name}.attention.self.{part}"), heads])],
            perm=order,
        )
        for part, order in (
            ("query", [0, 2, 1, 3]),
            ("key", [0, 2, 3, 1]),
            ("value", [0, 2, 1, 3]),
        )
    )
    scale = graph.constant("scale", 1 / math.sqrt(HEAD_WIDTH))
    likeness = graph.add("Mul", [graph.add("MatMul", [query, key]), scale])
    share = graph.add("Softmax", [graph.add("Add", [likeness, masked])], axis=-1)
    seen = graph.add("Transpose", [graph.add("MatMul", [share, value])], perm=[0, 2, 1, 3])
    joined = graph.quantized(graph.add("Reshape", [seen, whole]))
    attended = graph.linear(joined, f"{name}.attention.output.dense")
    values = graph.normal(
        graph.add("Add", [values, attended]), f"{name}.attention.output.LayerNorm"
    )
    inner = graph.gelu(graph.linear(graph.quantized(values), f"{name}.intermediate.dense"))
    outer = graph.linear(graph.quantized(inner), f"{name}.output.dense")
    return graph.normal(graph.add("Add", [values, outer]), f"{name}.output.LayerNorm")
