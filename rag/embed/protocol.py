"""What embedders give: vectors, and their own identity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Places = npt.NDArray[np.integer]
else:
    Vectors = Places = Any  # numpy is loaded by who computes, not by who only names a vector


class TokenVectors(NamedTuple):
    """The vectors of a text's tokens, float32 of shape (tokens, width), and where each token begins
    and ends in it, int of shape (tokens, 2). In a question, a vector's length is its weight.
    """

    vectors: Vectors
    spans: Places


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What a collection remembers of its embedder; two are compatible only if equal."""

    name: str
    dimension: int
    version: str

    def __str__(self) -> str:
        return f"{self.name}/{self.dimension}@{self.version}"
