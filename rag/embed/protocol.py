"""What embedders give: vectors, and what they are known by."""

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
    """A text as it was read: float32 of shape (tokens, width), and int of shape (tokens, 2), where
    each token begins and ends in the text. A question's vector is as long as it counts.
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
