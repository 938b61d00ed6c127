"""What a look at one part found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """`hint` is the command, or in words the deed, that mends a part that is not well."""

    part: str
    ok: bool
    detail: str
    hint: str | None = None


def well(part: str, detail: str) -> Check:
    return Check(part, ok=True, detail=detail)


def ill(part: str, detail: str, hint: str | None) -> Check:
    return Check(part, ok=False, detail=detail, hint=hint)
