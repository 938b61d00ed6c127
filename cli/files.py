"""Files that a person asked to have written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_text(file: Path, text: str) -> None:
    """Write the whole file or leave an older one as it was.

    Raises:
        StorageError: it cannot be written.

    """
    from state.errors import StorageError

    temporary = file.with_name(f".{file.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8", errors="replace")
        temporary.replace(file)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StorageError(f"{file} cannot be written: {error.strerror or error}.") from None
