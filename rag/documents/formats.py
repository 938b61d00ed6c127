"""The formats that are read, the extensions that name them, and the ones that are not read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Format:
    """A format, the module here whose `read` reads it, and which size limit it is under:
    a text stream, a file that a parser keeps, or markup that becomes a tree.
    """

    name: str
    module: str
    held: Literal["text", "parsed", "tree"]
    suffixes: tuple[str, ...]


_ALL = (
    Format("markdown", "markdown", "text", (".md", ".markdown", ".mdown", ".mkd", ".mdx")),
    Format("text", "encoding", "text", (".txt", ".text", ".asc", ".nfo", ".srt", ".vtt")),
    Format("log", "encoding", "text", (".log", ".out")),
)

FORMATS = {entry.name: entry for entry in _ALL}
SUFFIXES = {suffix: entry for entry in _ALL for suffix in entry.suffixes}

UNSUPPORTED = {".doc": "legacy Word 97 file (.doc): save it as .docx"}
