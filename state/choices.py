"""The values that settings can take and the default paths, importable without pydantic."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

DEFAULT_COLLECTION = "default"


def ingest_command(collection: str, what: str = "") -> str:
    """The command that ingests into a collection, as a person types it."""
    named = "" if collection == DEFAULT_COLLECTION else f" -c {collection}"
    return f"crag ingest{what}{named}"


class EngineName(StrEnum):
    LOCAL = "local"
    OPENAI = "openai"
    AUTO = "auto"


class GraderChoice(StrEnum):
    AUTO = "auto"
    LOCAL = "local"
    MODEL = "model"


class Verifier(StrEnum):
    CODE = "code"
    MODEL = "model"


class EvaluationStage(StrEnum):
    RETRIEVAL = "retrieval"
    GRADING = "grading"
    FULL = "full"


def default_home() -> Path:
    """The platform's user data directory for crag."""
    from platformdirs import user_data_path

    return user_data_path("crag", appauthor=False)


def default_config_file() -> Path:
    """The user's own config.toml."""
    from platformdirs import user_config_path

    return user_config_path("crag", appauthor=False) / "config.toml"
