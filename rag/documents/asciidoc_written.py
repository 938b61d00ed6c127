"""The clean lines of an AsciiDoc document as far as it is read, and the blocks on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.documents.asciidoc_inline import Inline
from rag.documents.found import Found
from state.blocks import BlockKind


@dataclass(slots=True)
class Written:
    """`out` are the lines, `found` the blocks. `named_at`: the line that calls the next block a
    warning or alike, which belongs to it.
    """

    out: list[str]
    inline: Inline
    found: list[Found] = field(default_factory=list)
    named_at: int | None = None

    def hide(self, first: int, last: int | None = None) -> int:
        """Empties the lines; the number of the line below them."""
        last = first if last is None else last
        for index in range(first, last + 1):
            self.out[index] = ""
        return last + 1

    def show(self, own: Sequence[int]) -> None:
        """Writes what is shown of the lines of a paragraph; those between them are empty."""
        hidden = set(range(own[0], own[-1])).difference(own)
        for index in hidden:
            self.out[index] = ""
        text = "\n".join(self.out[index] for index in own)
        for index, shown in zip(own, self.inline.shown(text).split("\n"), strict=True):
            self.out[index] = shown.rstrip()

    def show_term(self, index: int, line: str, term: str) -> None:
        """Writes a term before what is said of it on its line."""
        shown = f"{self.inline.shown(term)}: {self.out[index]}".removesuffix(": ")
        self.out[index] = line[: len(line) - len(line.lstrip())] + shown

    def add(self, kind: BlockKind, first: int, last: int, level: int, lead: int | None) -> int:
        """The block's number."""
        if self.named_at is not None and kind is not BlockKind.HEADING:
            first, self.named_at = self.named_at, None
        self.found.append(Found(kind, first, last, level, lead))
        return len(self.found) - 1
