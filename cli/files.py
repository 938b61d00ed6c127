"""Files that a person asked to have written."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from cli.terminal import Terminal, keep_private
from state.errors import StorageError, UsageError

STDOUT = Path("-")


def check_writable(file: Path | None) -> None:
    """Said before the work, not after it.

    Raises:
        UsageError: nothing can be written there.
    """
    if file is None or file == STDOUT:
        return
    if file.is_dir() or not file.name:
        raise UsageError(f"{file} cannot be written: it is a folder.")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"{file} cannot be written: its folder does not exist.")


def write_text(file: Path, text: str, terminal: Terminal) -> None:
    """Write the whole file, or leave an older one as it was, and say so; "-" is stdout. What is
    no regular file is written through, and so is a link.

    Raises:
        UsageError: as `check_writable`.
        StorageError: it cannot be written.
    """
    check_writable(file)
    if file == STDOUT:
        terminal.out(text.removesuffix("\n"))
        return
    try:
        if file.exists() and not file.is_file():  # a device, a pipe
            file.write_text(text, encoding="utf-8", errors="replace")
        else:
            _replace(file.resolve(), text)  # a link stays one
    except (OSError, RuntimeError) as error:  # of links in a circle
        why = getattr(error, "strerror", None) or "its links lead nowhere"
        raise StorageError(f"{file} cannot be written: {why}.") from None
    terminal.notice(f"Wrote {file}.")


def _replace(file: Path, text: str) -> None:
    """The whole text or the older file; one keeps its mode, a new one gets the person's."""
    mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else 0o666 & ~keep_private()
    descriptor, name = tempfile.mkstemp(prefix=".crag-", dir=file.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as opened:
            opened.write(text)
        temporary.chmod(mode)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
