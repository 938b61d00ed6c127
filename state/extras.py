"""Which packages are installed, and what is said where one that an extra brings is not."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from state.errors import SetupError

OCR = "ocr"


@cache
def package_version(name: str, otherwise: str = "unknown") -> str:
    """`otherwise` where it is not installed, as crag itself is not in a source tree."""
    try:
        return version(name)
    except PackageNotFoundError:
        return otherwise


def is_installed(module: str) -> bool:
    """Whether `module` could be imported; it is not."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor is what it lies in
        return False


def install_hint(extra: str) -> str:
    """The command that brings an extra, and where it is said."""
    return f"pip install '.[{extra}]' in crag's clone"


def require_extra(module: str, extra: str, what: str) -> None:
    """Make sure of `module`, which `what` needs, without importing it.

    Raises:
        SetupError: it is not installed; names the extra that brings it.
    """
    if not is_installed(module):
        raise SetupError(
            f"{what} needs crag's extra {extra!r}, which is not installed.",
            f"Install crag with it, as in: {install_hint(extra)}.",
        )
