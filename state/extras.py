"""What this process can use: packages, with the error for one that an extra of crag would install;
processor cores.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from state.errors import SetupError

OCR = "ocr"


@cache
def package_version(name: str, otherwise: str = "unknown") -> str:
    """The installed version, or `otherwise`, as for crag itself in a source tree."""
    try:
        return version(name)
    except PackageNotFoundError:
        return otherwise


def is_installed(module: str) -> bool:
    """Whether `module` could be imported, found out without importing it."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor is what it lies in
        return False


def install_hint(extra: str) -> str:
    """The command that installs an extra, and where to run it."""
    return f"pip install '.[{extra}]' in crag's clone"


def require_extra(module: str, extra: str, what: str) -> None:
    """Check that `module`, which `what` needs, is installed, without importing it.

    Raises:
        SetupError: it is not installed; names the extra that installs it.
    """
    if not is_installed(module):
        raise SetupError(
            f"{what} needs crag's extra {extra!r}, which is not installed.",
            f"Install crag with it, as in: {install_hint(extra)}.",
        )


def usable_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
