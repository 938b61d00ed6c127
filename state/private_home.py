"""The home is its owner's alone: folders 0700 and files 0600, also those of an older crag.

What is made anew is private by the process's umask (`cli/program.py`). Only what crag itself
puts into a home is touched: `--home` may name a folder that holds other things too.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
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


def make_private(home: Path) -> None:
    """Take from everybody else what they may do in a home that exists. What belongs to somebody
    else, or lies on a read-only disk, stays as it is.
    """
    with suppress(OSError):
        paths = list(home.iterdir())
        ours = [path for path in paths if _is_ours(path.name)]
        if ours and len(ours) == len(paths):
            _restrict(home)
        for path in ours:
            for each in _below(path):
                _restrict(each)


def _is_ours(name: str) -> bool:
    return name in _FOLDERS or name.startswith(_FILES)


def _below(path: Path) -> Iterator[Path]:
    yield path
    for folder, folders, files in os.walk(path):
        yield from (Path(folder, name) for name in (*folders, *files))


def _restrict(path: Path) -> None:
    with suppress(OSError):  # gone meanwhile, or not ours
        mode = path.lstat().st_mode
        if mode & 0o077 and not stat.S_ISLNK(mode):
            path.chmod(stat.S_IMODE(mode) & ~0o077)
