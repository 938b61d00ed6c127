"""The home: permissions, and room on the disk."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rag.doctor.part_check import Check, ill, well

LEAST_FREE = 500 << 20
_WRITABLE = "Make it writable, or choose another --home"


def check_home(home: Path) -> Iterator[Check]:
    """Looks only; a home that does not exist yet is well if it can be made."""
    existing = next(path for path in (home, *home.parents) if path.exists())
    try:
        tempfile.TemporaryFile(dir=existing).close()
    except OSError as error:
        yield ill("home", f"{home}: {error.strerror}", _WRITABLE)
        return
    shut = next((path for path in home.rglob("*") if not os.access(path, os.W_OK)), None)
    if shut:  # another person's, as after `sudo crag`
        yield ill("home", f"{shut} cannot be written", _WRITABLE)
    else:
        yield well("home", str(home))
    free = shutil.disk_usage(existing).free
    detail = f"{free / 1e9:.1f} GB free"
    if free < LEAST_FREE:
        yield ill("disk", detail, "Free some space, or choose another --home")
    else:
        yield well("disk", detail)
