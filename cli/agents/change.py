"""A change of another program's file: shown, agreed to, written whole."""

from __future__ import annotations

import difflib
from pathlib import Path

from cli.confirm import confirm
from cli.files import write_text
from cli.terminal import Terminal
from state.errors import StorageError, UsageError


def read_before(file: Path) -> str:
    """Its text; nothing where there is no such file.

    Raises:
        StorageError: it cannot be read.
        UsageError: it is no text.
    """
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is left alone: it is no UTF-8 text.") from None


def change_file(file: Path, before: str, after: str, terminal: Terminal, *, yes: bool) -> bool:
    """Show the difference, ask, and write it; an empty text removes the file. False: it was so
    already.

    Raises:
        UsageError: nobody can be asked, or the file was changed meanwhile.
        StorageError: it cannot be written.
    """
    if before == after:
        return False
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), str(file), str(file), lineterm="", n=2
    )
    for line in lines:
        terminal.notice(line)
    confirm(f"Change {file}?", yes=yes)
    if read_before(file) != before:  # the program that it is of may be running
        raise UsageError(f"{file} was changed meanwhile.", "Run this again.")
    if not after:
        file.unlink(missing_ok=True)
        terminal.notice(f"Removed {file}.")
        return True
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror or error}.") from None
    write_text(file, after, terminal)
    return True
