"""Settings: flag > CRAG_* environment > config file > default, frozen once read.

No file is ever picked up from the current directory: a cloned repository must not be able
to redirect documents or keys.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, NonNegativeFloat, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict
from pydantic_settings import SettingsError as UnreadableValueError

from state.choices import (
    DEFAULT_COLLECTION,
    EngineName,
    GraderChoice,
    Verifier,
    default_config_file,
    default_home,
)
from state.errors import SettingsError, UsageError
from state.wording import did_you_mean, is_parsable

STAND_INS = {"api_key": "OPENAI_API_KEY", "base_url": "OPENAI_BASE_URL"}
MOST_SECONDS = 1_000_000_000
"""Clocks and locks take no time that is much longer."""


def _home_folder(value: Path) -> Path:
    value = Path(os.path.expanduser(value))  # noqa: PTH111 - Path's own can raise
    if os.path.lexists(value) and not os.path.isdir(value):  # noqa: PTH112 - so can Path's
        raise ValueError(f"{value} is not a folder")
    return value


def _plain_name(value: str) -> str:
    if not 1 <= len(value) <= 128 or any(c in "/\\\x7f" or c < " " for c in value):
        raise ValueError("a name has 1 to 128 characters, without slashes or control characters")
    return value


def _parsable_url(value: str) -> str:
    if not is_parsable(value.strip()):
        raise ValueError(
            "it is no URL; what is special in a password is written as %2F for /, %40 for @"
        )
    return value


Name = Annotated[str, AfterValidator(_plain_name)]
Url = Annotated[str, AfterValidator(_parsable_url)]
PostgresUrl = Annotated[Url, Field(pattern="^postgres(ql)?://")]


class Settings(BaseSettings):
    """Every setting, with its default. `load_settings` builds one from its sources."""

    model_config = SettingsConfigDict(
        env_prefix="CRAG_", extra="forbid", frozen=True, env_file=None, env_ignore_empty=True
    )

    home: Annotated[Path, AfterValidator(_home_folder)] = Field(
        default_factory=default_home, description="index, threads and traces"
    )
    collection: Name = Field(DEFAULT_COLLECTION, description="the collection to read or write")
    thread: Name | None = Field(None, description="the thread to continue")
    engine: EngineName = Field(EngineName.AUTO, description="local, openai, or auto")
    k: int = Field(
        8, ge=1, le=200, description="chunks retrieved a loop; for a model 20, unless set"
    )
    context_tokens: int = Field(
        6_000, ge=500, le=200_000, description="tokens of documents for a model, about"
    )
    full: bool = Field(default=False, description="whole blocks where snippets are shown")
    quotes: bool = Field(default=False, description="the cited quotes below an answer")
    max_loops: int = Field(3, ge=0, le=20, description="further searches a question at most")
    grader: GraderChoice = Field(GraderChoice.AUTO, description="who grades in front of a model")
    verify: Verifier = Field(Verifier.CODE, description="who checks support of claims")
    store: PostgresUrl | None = Field(None, description="Postgres URL of a shared store")
    store_schema: str = Field(
        "crag",
        pattern="^[a-z_][a-z0-9_]{0,62}$",
        description="the schema of the database that it lies in",
    )
    chroma_url: Url | None = Field(
        None, description="URL of a Chroma server that holds the vectors, instead of the home"
    )
    threads: PostgresUrl | None = Field(None, description="Postgres URL for the threads")

    model: str = Field("gpt-4o-mini", description="chat model")
    base_url: Url | None = Field(None, description="endpoint of an OpenAI-compatible server")
    api_key: SecretStr | None = Field(None, description="key for the endpoint")
    temperature: float | None = Field(
        0.0, allow_inf_nan=False, description="sampling temperature of answers"
    )
    reasoning_effort: str | None = Field(
        None, description="how long a thinking model may think: minimal, low, medium, high"
    )
    request_timeout: float | None = Field(
        None,
        gt=0,
        le=MOST_SECONDS,
        description="seconds a model request may take; 60, on this machine 300",
    )
    max_retries: int = Field(5, ge=0, le=10, description="retries of a failed model request")
    prices: dict[str, tuple[NonNegativeFloat, NonNegativeFloat]] = Field(
        default_factory=dict,
        description='USD per million tokens in and out, as {"gpt-4o-mini" = [0.15, 0.6]}',
    )

    max_tokens: int | None = Field(None, ge=1, description="token budget of a question")
    max_cost: float | None = Field(
        None, gt=0, allow_inf_nan=False, description="USD budget of a question"
    )
    timeout: float | None = Field(
        None, gt=0, le=MOST_SECONDS, description="seconds a question may take"
    )
    history_tokens: int = Field(4000, ge=0, description="history the model sees, in tokens")
    trace_keep: int = Field(500, ge=1, description="runs whose traces are kept")
    trace_days: int = Field(90, ge=1, description="days a trace is kept")
    research_keep: int = Field(100, ge=1, description="finished research runs that are kept")
    web: bool = Field(default=False, description="search the web when the documents do not hold it")
    web_url: Url | None = Field(None, description="SearXNG endpoint of --web")


def load_settings(flags: Mapping[str, Any], config_file: Path | None = None) -> Settings:
    """Settings from all sources; flags that are None count as not given.

    `config_file` must exist; without one the user's own config.toml is read if it exists.
    OPENAI_API_KEY and OPENAI_BASE_URL stand in for `api_key` and `base_url` where nothing else sets
    them.

    Raises:
        UsageError: naming the flag that is unusable.
        SettingsError: naming the key, variable or file that is unusable.
    """
    file = config_file or default_config_file()
    values = read_toml(file, required=config_file is not None)
    given = {name: value for name, value in flags.items() if value is not None}
    for name, variable in STAND_INS.items():
        if os.environ.get(variable):
            values.setdefault(name, os.environ[variable])
    for key in values.keys() - Settings.model_fields.keys():  # some would be pydantic's options
        hint = did_you_mean(key, Settings.model_fields, "`crag config show` lists every key.")
        raise SettingsError(f"Unknown setting {key} in {file}.", hint)
    # Arguments win over variables, which pydantic reads itself: leave those keys to it.
    values = {name: value for name, value in values.items() if variable_of(name) is None}
    try:
        return Settings(**{**values, **given})
    except ValidationError as error:
        raise _settings_error(error, given, file) from None
    except UnreadableValueError:
        raise SettingsError(
            "The setting CRAG_PRICES is unusable: it is no JSON.",
            'As {"gpt-4o-mini": [0.15, 0.6]}, USD per million tokens in and out.',
        ) from None


def variable_of(key: str) -> str | None:
    """The environment variable that sets a key, whatever its case; of several the last."""
    wanted = f"CRAG_{key.upper()}"
    given = [name for name, value in os.environ.items() if value and name.upper() == wanted]
    return given[-1] if given else None


def source_of(key: str, flags: Mapping[str, Any], file: Path, held: Collection[str]) -> str:
    """What sets a key: its flag, its variable, or the settings file, which holds the keys `held`;
    "default" where nothing does.
    """
    if flags.get(key) is not None:
        return f"--{key.replace('_', '-')}"
    in_file, stand_in = str(file) if key in held else None, STAND_INS.get(key, "")
    return variable_of(key) or in_file or (stand_in if os.environ.get(stand_in) else "default")


def read_toml(file: Path, *, required: bool) -> dict[str, Any]:
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        if required:
            raise SettingsError(
                f"There is no settings file {file}.", "`crag config init --config FILE` writes one."
            ) from None
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise SettingsError(
            f"The settings file {file} cannot be read: {why}.", "Mend or remove it."
        ) from None
    return {key: value for key, value in values.items() if value != "" or key not in _OPTIONAL}


_OPTIONAL = frozenset(key for key, field in Settings.model_fields.items() if field.default is None)
"""Keys that an empty text leaves unset, as an empty variable does."""


def _settings_error(
    error: ValidationError, given: Mapping[str, Any], file: Path
) -> SettingsError | UsageError:
    first = error.errors(include_url=False, include_input=False)[0]
    what = first["msg"].removeprefix("Value error, ")
    key = str(first["loc"][0]) if first["loc"] else "settings"
    source = source_of(key, given, file, Settings.model_fields)
    if source.startswith("--"):
        return UsageError(f"{source}: {what}.")
    inside = "".join(f"[{part!r}]" for part in first["loc"][1:])
    told = f"{inside}{': ' * bool(inside)}{what}"
    return SettingsError(f"The setting {key} in {source} is unusable: {told}.")
