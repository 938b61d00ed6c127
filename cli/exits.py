"""The exit codes, and which error ends with which."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from state.errors import CragError


class Exit(IntEnum):
    DONE = 0
    UNEXPECTED = 1
    USAGE = 2
    ABSTAINED = 3
    SETUP = 4
    REMOTE = 5
    INGEST_FAILURES = 6
    INTERRUPTED = 130


def exit_code(error: CragError) -> Exit:
    """The code of an expected failure."""
    from state import errors

    for kind, code in (
        (errors.UsageError, Exit.USAGE),
        (errors.SetupError, Exit.SETUP),
        (errors.RemoteError, Exit.REMOTE),
        (errors.DocumentError, Exit.UNEXPECTED),
    ):
        if isinstance(error, kind):
            return code
    return Exit.UNEXPECTED
