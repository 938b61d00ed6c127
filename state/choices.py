"""What some settings and options can be; pydantic is not imported for it."""

from __future__ import annotations

from enum import StrEnum

DEFAULT_COLLECTION = "default"


class EngineName(StrEnum):
    LOCAL = "local"
    OPENAI = "openai"
    AUTO = "auto"


class GraderChoice(StrEnum):
    AUTO = "auto"
    LOCAL = "local"
    MODEL = "model"
    DECISIONS = "decisions"


class Verifier(StrEnum):
    CODE = "code"
    MODEL = "model"


class EmbedderName(StrEnum):
    BUILTIN = "builtin"
    OPENAI = "openai"


class EvaluationStage(StrEnum):
    RETRIEVAL = "retrieval"
    GRADING = "grading"
    FULL = "full"


class TraceStatus(StrEnum):
    ANSWERED = "answered"
    PARTIAL = "partial"
    ABSTAINED = "abstained"
    FAILED = "failed"


class TraceKind(StrEnum):
    ANSWER = "answer"
    RESEARCH = "research"
