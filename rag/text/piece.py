"""What a document's text comes in as, and the chunks it is cut into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rag.text.placed import Placed
from state.blocks import Block


class TextPart(Protocol):
    """A piece of a document's text; the pieces joined are the text. `page` where it has pages;
    `blocks`, offsets in the piece, where whoever read it knows them.
    """

    @property
    def text(self) -> str: ...

    @property
    def page(self) -> int | None: ...

    @property
    def blocks(self) -> tuple[Placed, ...] | None: ...


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk without its identity: `text == document_text[start_char:end_char]`.

    Lines are 1-based and inclusive; `heading` is the path of headings above, joined by " > ".
    `blocks` are those in it, cut where the chunk is; offsets as the chunk's own.
    """

    text: str
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    page: int | None
    heading: str
    blocks: tuple[Block, ...] = ()
