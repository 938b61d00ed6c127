"""The tensors of a safetensors file, mapped: of a large one no more is read than is touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_HEADER_BYTES = 1 << 20
_KINDS = {"F16": np.float16, "F32": np.float32}


def read_tensors(file: Path) -> dict[str, npt.NDArray[Any]]:
    """Its tensors of 16 and 32 bits a number, by name.

    Raises:
        OSError, ValueError, KeyError: it is none.
    """
    with file.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        header = json.loads(stream.read(min(size, _HEADER_BYTES)))
    found = {}
    for name, entry in header.items():
        if kind := _KINDS.get(entry.get("dtype")):
            place = 8 + size + entry["data_offsets"][0]
            mapped = np.memmap(file, kind, "r", place, tuple(entry["shape"]))
            found[name] = mapped.view(np.ndarray)  # a memmap takes its time over every row
    return found
