"""What a grader says of a retrieved chunk."""

from __future__ import annotations

from typing import Literal, TypedDict

RelevanceVerdict = Literal["correct", "ambiguous", "incorrect"]
GraderName = Literal["local", "model"]


class Grade(TypedDict):
    """The binary score with what stands behind it.

    `confidence` is the calibrated probability, 0 to 1, that the chunk is relevant (None
    where the grader gives none); `verdict` is CRAG's three-way action on it (Yan et al.
    2024, "Corrective Retrieval Augmented Generation"): correct, ambiguous or incorrect.
    """

    chunk_id: str
    relevant: bool
    verdict: RelevanceVerdict
    confidence: float | None
    reason: str | None
    grader: GraderName
