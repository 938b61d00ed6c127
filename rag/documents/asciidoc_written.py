"""The clean lines of an AsciiDoc document as far as it is read, and the blocks on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.documents.asciidoc_inline import Inline
from rag.documents.asciidoc_nesting import Nesting, OpenList
from rag.documents.found import Found
from state.blocks import BlockKind


@dataclass(slots=True)
class Written:
    """`out` are the lines, `found` the blocks.

    Attributes:
        named_at: the line that calls the next block a warning or alike, which belongs to it.
        opens: the block right above, by its number, where it introduces what follows.
        blank: the line above is blank.
        continued: a `+` above says that what follows belongs to the item.
    """

    out: list[str]
    inline: Inline
    found: list[Found] = field(default_factory=list)
    nesting: Nesting = field(default_factory=Nesting)
    named_at: int | None = None
    opens: int | None = None
    blank: bool = True
    continued: bool = False

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

    def enter(self, marker: str) -> OpenList:
        """Begins an item."""
        self.continued = False
        return self.nesting.enter(marker, self.introduction())

    def begin(self, *, indented: bool = False) -> None:
        """Begins a block that is no item: it ends the lists that it is not within."""
        if not indented:
            self.end_lists()
        self.continued = False

    def end_lists(self) -> None:
        if self.blank and not self.continued:
            self.nesting.end_lists()

    def introduction(self) -> int | None:
        """The number of what introduces an item, code or a row that begins here."""
        number = self.opens
        if number is None:
            return self.nesting.item
        if self.found[number].kind is BlockKind.PARAGRAPH:
            self.found[number].kind = BlockKind.LEAD
        return number

    def add(
        self, kind: BlockKind, first: int, last: int, lead: int | None = None, level: int = 0
    ) -> int:
        """The block's number."""
        if self.named_at is not None and kind is not BlockKind.HEADING:
            first, self.named_at = self.named_at, None
        self.found.append(Found(kind, first, last, level or self.nesting.level, lead))
        self.opens = None
        return len(self.found) - 1
