"""Reads the weights of a BERT with a classifier out of the int8 graph that it was exported to, and
adds what it was trained further: low-rank updates of its matrices (Hu et al. 2021, "LoRA").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product

import numpy as np
import onnx
from onnx import numpy_helper

from rag.embed.onnx_graph import Matrix

_OF_LAYER = (
    *(f"attention.self.{name}" for name in ("query", "key", "value")),
    *("attention.output.dense", "intermediate.dense", "output.dense"),
)
"""A layer's matrices in the order of their numbers, which are all that the export calls them."""
_MATRIX = re.compile(r"onnx::MatMul_(\d+)")
_QUANTIZED = "_quantized"


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
    """The weights by the names that BERT's have, matrices of shape (out, in)."""
    graph = onnx.load_model_from_string(exported).graph
    held = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    found = {name: held[name] for name in held if name.endswith((".weight", ".bias"))}
    for name in (each.removesuffix(_QUANTIZED) for each in held if each.endswith(_QUANTIZED)):
        steps = held[name + _QUANTIZED].astype(np.float32) - held[f"{name}_zero_point"]
        found[name] = steps * held[f"{name}_scale"]
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
