"""Reads the weights of a BERT with a classifier out of the int8 graph that it was exported to, and
adds what it was trained further: low-rank updates of its matrices (Hu et al. 2021, "LoRA").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from rag.embed.onnx_graph import Matrix

_OF_LAYER = (
    *(f"attention.self.{name}" for name in ("query", "key", "value")),
    *("attention.output.dense", "intermediate.dense", "output.dense"),
)
"""A layer's matrices in the order of their numbers, which are all that the export calls them."""
_MATRIX = re.compile(r"onnx::MatMul_(\d+)")
_QUANTIZED = "_quantized"
_GRAPH, _INITIALIZER = 7, 5
_DIMENSION, _KIND, _FLOATS, _INTEGERS, _NAME, _RAW = 1, 2, 4, 5, 8, 9
_KINDS = {2: "u1", 3: "i1"}
_VARINT, _BYTES = 0, 2
_FIXED = {1: 8, 5: 4}


def trained_further(weights: dict[str, Matrix], update: Mapping[str, Matrix]) -> dict[str, Matrix]:
    """The weights with an update: a matrix `name.up` (out, rank) times `name.down` (rank, in) is
    added to the matrix `name.weight`; what has another name stands in its place.

    Raises:
        KeyError: it is of other weights.
    """
    made = dict(weights)
    for name, values in update.items():
        matrix, _, kind = name.rpartition(".")
        if kind == "up":
            low_rank = values.astype(np.float32) @ update[f"{matrix}.down"]
            made[f"{matrix}.weight"] = weights[f"{matrix}.weight"] + low_rank
        elif kind != "down":
            made[name] = values.astype(np.float32)
    return made


def exported_weights(exported: bytes) -> dict[str, Matrix]:
    """The weights by the names that BERT's have, matrices of shape (out, in).

    Raises:
        ValueError: it is no such graph.
    """
    try:
        graphs = [value for number, value in _fields(memoryview(exported)) if number == _GRAPH]
        held = dict(
            _tensor(value) for number, value in _fields(graphs[0]) if number == _INITIALIZER
        )
        found = {name: held[name] for name in held if name.endswith((".weight", ".bias"))}
        for name in (each.removesuffix(_QUANTIZED) for each in held if each.endswith(_QUANTIZED)):
            steps = held[name + _QUANTIZED] - held[f"{name}_zero_point"]
            found[name] = steps.astype(np.float32) * held[f"{name}_scale"]
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"not a graph as it is known: {error!r}") from None
    matrices = sorted(
        filter(_MATRIX.fullmatch, found), key=lambda name: int(_MATRIX.sub(r"\1", name))
    )
    layers = len(matrices) // len(_OF_LAYER)
    for (layer, of_layer), name in zip(product(range(layers), _OF_LAYER), matrices, strict=True):
        found[f"encoder.layer.{layer}.{of_layer}.weight"] = found.pop(name)
    return {
        name.removeprefix("bert."): values if values.ndim < 2 or "embeddings" in name else values.T
        for name, values in found.items()
    }


def _tensor(data: memoryview) -> tuple[str, npt.NDArray[Any]]:
    shape: list[int] = []
    name, values, kind = "", np.zeros(0), "<f4"
    for number, value in _fields(data):
        if number == _DIMENSION:
            shape.append(value)
        elif number == _KIND:
            kind = _KINDS.get(value, kind)
        elif number == _NAME:
            name = str(value, "utf-8")
        elif number in (_FLOATS, _RAW):
            values = np.frombuffer(value, kind if number == _RAW else "<f4")
        elif number == _INTEGERS:
            values = np.array(_varint(value, 0)[0])
    return name, values.reshape(shape)


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """The fields of a message of Protocol Buffers: a number, or the bytes."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _varint(data, place)
            yield number, value
        else:
            size, place = _varint(data, place) if kind == _BYTES else (_FIXED[kind], place)
            yield number, data[place : place + size]
            place += size


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        found |= (data[place] & 0x7F) << shift
        shift += 7
        place += 1
        if data[place - 1] < 0x80:
            return found, place
