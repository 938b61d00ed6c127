"""The exit codes, and which error ends with which."""

from __future__ import annotations

from enum import IntEnum

from state.errors import CragError, RemoteError, SetupError, UsageError


class Terminated(KeyboardInterrupt):
    """SIGTERM came. It ends what Ctrl-C ends, and a chat, which Ctrl-C only takes back a step."""


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
    codes = {UsageError: Exit.USAGE, SetupError: Exit.SETUP, RemoteError: Exit.REMOTE}
    return next((code for kind, code in codes.items() if isinstance(error, kind)), Exit.UNEXPECTED)
