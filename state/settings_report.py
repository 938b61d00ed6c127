"""Settings as people see them: each key with its value and source, and a file to start from."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from state.choices import default_config_file
from state.errors import SettingsError
from state.settings import Settings, load_settings, read_toml, source_of
from state.wording import redact_urls


class SettingRow(TypedDict):
    """One setting as `crag config show` prints it; secrets are masked."""

    key: str
    value: str
    source: str
    default: str
    description: str


def describe_settings(
    flags: Mapping[str, Any], config_file: Path | None = None
) -> list[SettingRow]:
    """Every key with its value and where that came from; raises as `load_settings`."""
    settings, file = load_settings(flags, config_file), config_file or default_config_file()
    held = read_toml(file, required=False)
    return [
        {
            "key": key,
            "value": shown_value(getattr(settings, key)),
            "source": source_of(key, flags, file, held),
            "default": shown_value(field.get_default(call_default_factory=True)),
            "description": field.description or "",
        }
        for key, field in Settings.model_fields.items()
    ]


def settings_template() -> str:
    """A config.toml with every key commented out at its default."""
    lines = ["# Settings of crag. A flag or a CRAG_… variable wins over this file.", ""]
    for key, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        lines += [f"# {field.description}", f"# {key} = {_toml(default)}", ""]
    return "\n".join(lines)


def shown_value(value: Any) -> str:
    """A setting's value in words; secrets stay masked."""
    if value is None or value == {}:
        return "none"
    return str(value).lower() if isinstance(value, bool) else redact_urls(str(value))


def _toml(value: Any) -> str:
    """A value as TOML, which JSON is for all that occurs here; None is an empty text."""
    return json.dumps("" if value is None else value, ensure_ascii=False, default=str)


def settings_with(text: str, changes: Mapping[str, str | None]) -> str:
    """The text of a settings file with these keys set, or removed where None; all else stays as it
    is. They go above everything, where they belong to the file itself.
    """
    new = [f"{key} = {_toml(value)}" for key, value in changes.items() if value is not None]
    lines = text.split("\n")
    end = next((n for n, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    kept = [line for line in lines[:end] if line.partition("=")[0].strip(" \t\"'") not in changes]
    changed = "\n".join([*new, *kept, *lines[end:]]).strip("\n") + "\n"
    try:
        tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        keys = " or ".join(changes)
        raise SettingsError(
            f"The settings file cannot be changed: {keys} takes several lines in it.",
            "Change it by hand.",
        ) from None
    return changed


def write_settings(file: Path, text: str) -> None:
    """Raises SettingsError if the file cannot be written."""
    try:
        data = text.encode()  # before the file is emptied: half a character cannot be written
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)  # it may come to hold a key
        file.write_bytes(data)
    except (OSError, UnicodeEncodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise SettingsError(
            f"The settings file {file} cannot be written: {why}.", "Choose another with --config."
        ) from None
