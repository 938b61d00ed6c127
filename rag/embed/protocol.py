"""The embedder seam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
else:
    Vectors = Any  # numpy is loaded by who computes, not by who only names a vector


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What a collection remembers of its embedder; two are compatible only if equal."""

    name: str
    dimension: int
    version: str

    def __str__(self) -> str:
        return f"{self.name}/{self.dimension}@{self.version}"


class Embedder(Protocol):
    """Text to unit vectors."""

    @property
    def identity(self) -> EmbedderIdentity: ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32 of shape (len(texts), dimension), rows of length 1 (an empty or
        unembeddable text gives a zero row, never NaN).

        Raises:
            ModelError: a remote endpoint failed.
        """

    def embed_query(self, text: str) -> Vectors:
        """float32 of shape (dimension,), as `embed_documents` gives it."""
