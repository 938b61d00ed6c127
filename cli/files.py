"""Files that a person asked to have written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.terminal import Terminal

STDOUT = Path("-")


def check_writable(file: Path | None) -> None:
    """Said before the work, not after it.

    Raises:
        UsageError: nothing can be written there.

    """
    from state.errors import UsageError

    if file is None or file == STDOUT:
        return
    if file.is_dir() or not file.name:
        raise UsageError(f"{file} cannot be written: it is a folder.")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"{file} cannot be written: its folder does not exist.")


def write_text(file: Path, text: str, terminal: Terminal) -> None:
    """Write the whole file, or leave an older one as it was, and say so; "-" is stdout.

    Raises:
        UsageError: as `check_writable`.
        StorageError: it cannot be written.

    """
    from state.errors import StorageError

    check_writable(file)
    if file == STDOUT:
        terminal.out(text.removesuffix("\n"))
        return
    temporary = file.with_name(f".{file.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8", errors="replace")
        temporary.replace(file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StorageError(f"{file} cannot be written: {error.strerror or error}.") from None
    terminal.notice(f"Wrote {file}.")
