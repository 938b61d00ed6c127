"""The choices of shared options.

They mirror the enums of `state.settings`, which would cost pydantic to import for
`--help`; a test holds the two equal.
"""

from __future__ import annotations

from enum import StrEnum


class EngineChoice(StrEnum):
    LOCAL = "local"
    OPENAI = "openai"
    AUTO = "auto"


class GraderOption(StrEnum):
    AUTO = "auto"
    LOCAL = "local"
    MODEL = "model"


class VerifyOption(StrEnum):
    CODE = "code"
    MODEL = "model"


class StageChoice(StrEnum):
    RETRIEVAL = "retrieval"
    GRADING = "grading"
    FULL = "full"


class StatusOption(StrEnum):
    ANSWERED = "answered"
    PARTIAL = "partial"
    ABSTAINED = "abstained"
    FAILED = "failed"


class KindOption(StrEnum):
    ANSWER = "answer"
    RESEARCH = "research"
