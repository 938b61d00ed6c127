"""Packages that an extra of crag brings, and what is said where one is not installed."""

from __future__ import annotations

from importlib.util import find_spec

from state.errors import SetupError


def require_extra(module: str, extra: str, what: str) -> None:
    """Make sure of `module`, which `what` needs, without importing it.

    Raises:
        SetupError: it is not installed; names the extra that brings it.

    """
    try:
        found = find_spec(module) is not None
    except ModuleNotFoundError:  # nor is what it lies in
        found = False
    if not found:
        raise SetupError(
            f"{what} needs crag's extra {extra!r}, which is not installed.",
            f"Install crag with it, as in: pip install 'crag-cli[{extra}]'.",
        )
