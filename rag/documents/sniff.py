"""What a file's first bytes say it is, where that overrules its name."""

from __future__ import annotations

from pathlib import Path

from rag.documents.encoding import is_text
from rag.documents.formats import Format


def sniff(path: Path, head: bytes, named: Format | None) -> Format | str | None:
    """The format the content shows; a reason why it cannot be read; None: as it is named."""
    if named is None and not is_text(head):
        return f"no reader for {path.suffix.lower() or 'binary'} files"
    return None
