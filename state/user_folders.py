"""Where the platform keeps what is the user's own, and that nobody else reads it: folders 0700
and files 0600, also those of an older crag.

What is made anew is private by the process's umask (`cli/program.py`). Only what crag itself
puts into a home is touched: `--home` may name a folder that holds other things too.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

_FILES = (
    "catalog.sqlite",
    "threads.db",
    "checkpoints.db",
    "traces.db",
    "research.db",
    "chat_history",
)
_FOLDERS = ("locks", "vectors", "spool", "research", "eval")


def default_home() -> Path:
    """The platform's user data directory for crag."""
    from platformdirs import user_data_path

    return user_data_path("crag", appauthor=False)


def default_config_file() -> Path:
    """The user's own config.toml."""
    from platformdirs import user_config_path

    return user_config_path("crag", appauthor=False) / "config.toml"


def make_private(home: Path) -> None:
    """Take from everybody else what they may do in a home that exists. What belongs to somebody
    else, or lies on a read-only disk, stays as it is.
    """
    with suppress(OSError):
        paths = list(home.iterdir())
        ours = [each for each in paths if each.name in _FOLDERS or each.name.startswith(_FILES)]
        if ours and len(ours) == len(paths):
            _restrict(home)
        for path in ours:
            _restrict(path)
            for folder, folders, files in os.walk(path):
                for name in (*folders, *files):
                    _restrict(Path(folder, name))


def _restrict(path: Path) -> None:
    with suppress(OSError):  # gone meanwhile, or not ours
        mode = path.lstat().st_mode
        if mode & 0o077 and not stat.S_ISLNK(mode):
            path.chmod(stat.S_IMODE(mode) & ~0o077)
