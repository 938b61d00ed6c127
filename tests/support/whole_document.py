"""A document read whole, which the program itself never does."""

from dataclasses import dataclass
from pathlib import Path

from rag.documents.registry import open_document
from rag.documents.stream import Limits, Part
from rag.text.blocks import MARKDOWN
from rag.text.chunk import chunk_parts
from rag.text.headings import document_title, naming_blocks

_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader left of one file: `format` is the reader's name."""

    parts: list[Part]
    title: str | None
    format: str
    warnings: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)

    @property
    def pages(self) -> list[int]:
        return list(dict.fromkeys(part.page for part in self.parts if part.page is not None))

    def page_of(self, words: str) -> int | None:
        return next(part.page for part in self.parts if words in part.text)


def read_document(path: Path, limits: Limits = _LIMITS) -> Document:
    """The whole document in memory; raises as `open_document` does."""
    with open_document(path, limits) as stream:
        parts = list(stream.parts)
        title = stream.title
        if title is None and stream.format in MARKDOWN:
            title = document_title(naming_blocks(chunk_parts(parts, stream.format)), path)
        return Document(parts, title, stream.format, tuple(stream.warnings))
