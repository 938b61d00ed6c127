"""The error boundary: whatever ends a command becomes one line on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import typer

from cli.terminal import Terminal
from state.errors import CragError, RemoteError, SetupError, UsageError, storage_error
from state.wording import redact_urls


class Exit(IntEnum):
    DONE = 0
    UNEXPECTED = 1
    USAGE = 2
    ABSTAINED = 3
    SETUP = 4
    REMOTE = 5
    INGEST_FAILURES = 6
    INTERRUPTED = 130


_CODES = {UsageError: Exit.USAGE, SetupError: Exit.SETUP, RemoteError: Exit.REMOTE}


def exit_code(error: CragError) -> Exit:
    """The code of an expected failure."""
    found = (code for kind, code in _CODES.items() if isinstance(error, kind))
    return next(found, Exit.UNEXPECTED)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Whoever reads standard output may leave (`| head`) while a result is printed: what is left of
    it goes nowhere, and the command ends as it would have.
    """
    try:
        yield
    except BrokenPipeError:
        _drop_output()


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def end_on(error: BaseException, arguments: Sequence[str]) -> NoReturn:
    """Report what ended the command line `arguments`, and exit with its code."""
    if isinstance(error, SystemExit):
        if isinstance(error.__context__, BrokenPipeError):  # Click makes it a failure
            _drop_output()
            sys.exit(Exit.DONE)
        raise error
    if _interrupted(error):
        error = KeyboardInterrupt()
    if flag_given("debug", arguments) and not isinstance(error, KeyboardInterrupt):
        import traceback

        traceback.print_exception(error)
    line, code = _describe(error)
    for each in redact_urls(line).splitlines():
        Terminal().warn(each)
    sys.exit(code)


def flag_given(flag: str, arguments: Sequence[str]) -> bool:
    """Whether a flag or its variable is set, read without the command's own parser."""
    flags = list(arguments)[: arguments.index("--")] if "--" in arguments else arguments
    given = os.environ.get(f"CRAG_{flag.upper()}", "").lower()
    return f"--{flag}" in flags or given in ("1", "t", "true", "y", "yes", "on")


def _interrupted(error: BaseException | None) -> bool:
    """Whether an interrupt is behind the error: a library that was being imported may have raised
    another error for it, or something failed as it was closed.
    """
    while error is not None and not isinstance(error, typer.Abort | KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _describe(error: BaseException) -> tuple[str, int]:
    """The line of an error, and the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return "crag: interrupted.", Exit.INTERRUPTED
    if isinstance(error, typer.TyperException):
        return _usage_line(error), getattr(error, "exit_code", Exit.USAGE)
    known = error if isinstance(error, CragError) else None
    if isinstance(error, OSError):
        known = storage_error(error)
    elif isinstance(error, MemoryError):
        known = storage_error(OSError(errno.ENOMEM, "no memory"))
    if known is not None:
        return f"crag: {known}", exit_code(known)
    if isinstance(error, UnicodeEncodeError) and error.encoding == sys.getfilesystemencoding():
        line = f"crag: The locale's encoding, {error.encoding}, cannot hold the name of a file."
        return f"{line} Set LC_ALL=C.UTF-8 or PYTHONUTF8=1.", Exit.SETUP
    what = " ".join(str(error).split())[:500]
    line = f"crag: unexpected {type(error).__name__}: {what}."
    return f"{line} Run it again with --debug and report the traceback.", Exit.UNEXPECTED


def _usage_line(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "crag"
    if type(error).__name__ == "NoArgsIsHelpError":
        return error.format_message()
    message = " ".join(error.format_message().split())
    stop = "" if message.endswith((".", "?", "!", "`")) else "."
    if message.startswith("Got unexpected extra argument"):
        stop += ' Words that belong together stand in quotes: "…".'
    return f"{path}: {message}{stop} See `{path} --help`."
