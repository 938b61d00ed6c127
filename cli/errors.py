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
from cli.first_sign import clear_first_sign
from cli.variables import is_on

STREAMING = ("ask", "research", "ingest")


def end_on(error: BaseException, arguments: Sequence[str]) -> NoReturn:
    """Say what ended the command line `arguments`, and exit with its code."""
    if isinstance(error, SystemExit):
        if isinstance(error.__context__, BrokenPipeError):  # Click makes it a failure
            _discard_stdout()
            sys.exit(Exit.DONE)
        raise error
    from state.urls import masked

    debug = "--debug" in arguments or is_on("CRAG_DEBUG")
    if debug and not isinstance(error, typer.Abort | KeyboardInterrupt):
        import traceback

        traceback.print_exception(error)
    line, code = _describe(error)
    clear_first_sign()
    line = masked(line)
    if line:
        typer.echo(printable(line), err=True)
    _end_events(arguments, _kind(error), line, code)
    sys.exit(code)


def _describe(error: BaseException) -> tuple[str, int]:
    """The one line and the exit code of whatever ended the command."""
    from state.errors import CragError

    if isinstance(error, typer.Abort | KeyboardInterrupt):
        return "crag: interrupted.", Exit.INTERRUPTED
    if isinstance(error, typer.TyperException):
        return _usage_line(error), getattr(error, "exit_code", Exit.USAGE)
    if isinstance(error, CragError):
        return f"crag: {error}", exit_code(error)
    if isinstance(error, OSError) or _lacks_memory(error):
        from state.errors import storage_error

        mapped = storage_error(
            error if isinstance(error, OSError) else OSError(errno.ENOMEM, "no memory")
        )
        if mapped is not None:
            return f"crag: {mapped}", exit_code(mapped)
    if isinstance(error, UnicodeEncodeError) and error.encoding == sys.getfilesystemencoding():
        line = f"crag: The locale's encoding, {error.encoding}, cannot hold the name of a file."
        return f"{line} Set LC_ALL=C.UTF-8 or PYTHONUTF8=1.", Exit.SETUP
    what = " ".join(str(error).split())[:500]
    line = f"crag: unexpected {type(error).__name__}: {what}."
    return f"{line} Run it again with --debug and report the traceback.", Exit.UNEXPECTED


def _lacks_memory(error: BaseException) -> bool:
    """Also where Python cannot start a thread, and the linker not map a library."""
    words = str(error)
    return (
        isinstance(error, MemoryError)
        or "can't start new thread" in words
        or "failed to map segment" in words
    )


def _kind(error: BaseException) -> str:
    """The class of a failure that has one in state.errors, or a word for the others."""
    from state.errors import CragError

    if isinstance(error, typer.Abort | KeyboardInterrupt):
        return "Interrupted"
    if isinstance(error, typer.TyperException):
        return "UsageError"
    if isinstance(error, CragError):
        return type(error).__name__
    return "StorageError" if isinstance(error, OSError) else "Unexpected"


def _usage_line(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "crag"
    if type(error).__name__ == "NoArgsIsHelpError":
        return error.format_message()
    message = " ".join(error.format_message().split()).replace(": Value error, ", ": ")
    stop = "" if message.endswith((".", "?", "!", "`")) else "."
    return f"{path}: {message}{stop} See `{path} --help`."


def printable(text: str) -> str:
    """`text` without control characters, which could drive the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _discard_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end_events(arguments: Sequence[str], error: str, line: str, code: int) -> None:
    """Print the `error` event, where the command line asked for events."""
    if not _asked(arguments):
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
    except OSError:  # nobody reads any more; the exit code says it too
        return


def _asked(arguments: Sequence[str]) -> bool:
    flags = list(arguments)[: arguments.index("--")] if "--" in arguments else arguments
    if not flags or flags[0] not in STREAMING:
        return False
    return "--events" in flags or is_on("CRAG_EVENTS")
