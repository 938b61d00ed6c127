"""Checks of each part of an installation, each with what mends the part."""

from __future__ import annotations

from dataclasses import dataclass

from state.errors import CragError


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. `mend` is the command, or in words the deed, that mends a part that
    is not well, or improves one that is.
    """

    part: str
    ok: bool
    detail: str
    mend: str | None = None


def passed(part: str, detail: str, further: str | None = None) -> Check:
    return Check(part, ok=True, detail=detail, mend=further)


def failed(part: str, detail: str | CragError, mend: str | None = None) -> Check:
    """A failed check; an error as `detail` brings its own hint as `mend`."""
    if isinstance(detail, CragError):
        return Check(part, ok=False, detail=detail.message, mend=detail.hint)
    return Check(part, ok=False, detail=detail, mend=mend)
