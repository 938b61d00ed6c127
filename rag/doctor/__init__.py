"""Checks of each part of an installation, each with what mends the part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. `mend` is the command, or in words the deed, that mends a part that
    is not well, or improves one that is.
    """

    part: str
    detail: str
    mend: str | None = None
    ok: bool = True
