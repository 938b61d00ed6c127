"""Where the platform keeps what is the user's own."""

from __future__ import annotations

from pathlib import Path


def default_home() -> Path:
    """The platform's user data directory for crag."""
    from platformdirs import user_data_path

    return user_data_path("crag", appauthor=False)


def default_config_file() -> Path:
    """The user's own config.toml."""
    from platformdirs import user_config_path

    return user_config_path("crag", appauthor=False) / "config.toml"
