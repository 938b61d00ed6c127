"""What an evaluation is asked to do."""

from __future__ import annotations

from dataclasses import dataclass

from state.choices import EvaluationStage


@dataclass(frozen=True, slots=True)
class Plan:
    """What to evaluate and how far; `collection` is one that exists, instead of the dataset's."""

    stage: EvaluationStage = EvaluationStage.FULL
    limit: int | None = None
    seed: int = 0
    baseline: bool = False
    collection: str | None = None
