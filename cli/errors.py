"""The error boundary: whatever ends a command becomes one line on stderr and an exit code."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import typer

from cli.exits import Exit, exit_code
from cli.terminal import Terminal
from cli.variables import is_on
from state.errors import CragError, StorageError, storage_error

STREAMING = ("ask", "research", "ingest")


def end_on(error: BaseException, arguments: Sequence[str]) -> NoReturn:
    """Say what ended the command line `arguments`, and exit with its code."""
    if isinstance(error, SystemExit):
        if isinstance(error.__context__, BrokenPipeError):  # Click makes it a failure
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(Exit.DONE)
        raise error
    from state.urls import masked

    debug = "--debug" in arguments or is_on("CRAG_DEBUG")
    if debug and not isinstance(error, typer.Abort | KeyboardInterrupt):
        import traceback

        traceback.print_exception(error)
    kind, line, code = _describe(error)
    line = masked(line)
    for each in line.splitlines():
        Terminal().warn(each)
    _end_events(arguments, kind, line, code)
    sys.exit(code)


def _describe(error: BaseException) -> tuple[str, str, int]:
    """What ended the command: a class of state.errors or a word for others, the one line, and the
    exit code.
    """
    if isinstance(error, typer.Abort | KeyboardInterrupt):
        return "Interrupted", "crag: interrupted.", Exit.INTERRUPTED
    if isinstance(error, typer.TyperException):
        return "UsageError", _usage_line(error), getattr(error, "exit_code", Exit.USAGE)
    kind, known = "Unexpected", error if isinstance(error, CragError) else None
    if isinstance(error, OSError):
        kind, known = "StorageError", storage_error(error)
    elif _lacks_memory(error):
        known = storage_error(OSError(errno.ENOMEM, "no memory"))
    if known is not None:
        return type(known).__name__, f"crag: {known}", exit_code(known)
    if isinstance(error, UnicodeEncodeError) and error.encoding == sys.getfilesystemencoding():
        line = f"crag: The locale's encoding, {error.encoding}, cannot hold the name of a file."
        return kind, f"{line} Set LC_ALL=C.UTF-8 or PYTHONUTF8=1.", Exit.SETUP
    what = " ".join(str(error).split())[:500]
    line = f"crag: unexpected {type(error).__name__}: {what}."
    return kind, f"{line} Run it again with --debug and report the traceback.", Exit.UNEXPECTED


def _lacks_memory(error: BaseException) -> bool:
    """Also where Python cannot start a thread, and the linker not map a library."""
    words = str(error)
    return (
        isinstance(error, MemoryError)
        or "can't start new thread" in words
        or "failed to map segment" in words
    )


def _usage_line(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "crag"
    if type(error).__name__ == "NoArgsIsHelpError":
        return error.format_message()
    message = " ".join(error.format_message().split()).replace(": Value error, ", ": ")
    stop = "" if message.endswith((".", "?", "!", "`")) else "."
    if message.startswith("Got unexpected extra argument") and _takes_words(context):
        stop += ' Put what is asked in quotes: "…".'
    return f"{path}: {message}{stop} See `{path} --help`."


def _takes_words(context: typer.Context | None) -> bool:
    """Whether the command takes a question or a query, which a shell parts at its blanks."""
    params = [] if context is None else context.command.params
    return any(param.name in ("question", "query") for param in params)


def _end_events(arguments: Sequence[str], error: str, line: str, code: int) -> None:
    """Print the `error` event, where the command line asked for events."""
    flags = list(arguments)[: arguments.index("--")] if "--" in arguments else arguments
    streaming = bool(flags) and flags[0] in STREAMING
    if not streaming or not ("--events" in flags or is_on("CRAG_EVENTS")):
        return
    event = {
        "event": "error",
        "error": error,
        "message": line.removeprefix("crag: "),
        "exit_code": int(code),
    }
    try:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    except (OSError, StorageError):  # nobody reads any more; the exit code says it too
        return
