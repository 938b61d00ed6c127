"""The clean lines of an AsciiDoc document as far as it is read, the blocks on them, and what is
open: delimited blocks, and the lists in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.documents.asciidoc_inline import Inline
from rag.documents.asciidoc_source import SourceLines
from rag.documents.found import Found
from state.blocks import BlockKind

_DEEPEST = 50


@dataclass(slots=True)
class OpenList:
    """The items of one marker: what introduces them, how many there are, and the last one."""

    marker: str
    lead: int | None
    item: int | None = None
    count: int = 0


@dataclass(slots=True)
class OpenBlock:
    """A delimited block, or the document, with the open lists in it, the inmost last; `note`: it is
    a quotation or an admonition.
    """

    delimiter: str = ""
    note: bool = False
    lists: list[OpenList] = field(default_factory=list)


@dataclass(slots=True)
class Written:
    """`out` are the lines, empty where nothing is shown; `found` the blocks, which are meant by
    their numbers.

    Attributes:
        around: what the next line stands in, the inmost last.
        named_at: the line that calls the next block a warning or alike, which belongs to it.
        opens: the block right above, where it introduces what follows.
        blank: the line above is blank.
        continued: a `+` above says that what follows belongs to the item.
    """

    source: SourceLines
    out: list[str] = field(init=False)
    inline: Inline = field(init=False)
    found: list[Found] = field(default_factory=list)
    around: list[OpenBlock] = field(default_factory=lambda: [OpenBlock()])
    named_at: int | None = None
    opens: int | None = None
    blank: bool = True
    continued: bool = False

    def __post_init__(self) -> None:
        self.out = [""] * len(self.source)
        self.inline = Inline(self.source.titles)

    @property
    def lists(self) -> list[OpenList]:
        return [each for block in self.around for each in block.lists]

    @property
    def prose(self) -> BlockKind:
        is_note = any(block.note for block in self.around)
        return BlockKind.NOTE if is_note else BlockKind.PARAGRAPH

    def show(self, own: Sequence[int], first: str | None = None) -> None:
        """Writes what is shown of the lines of a paragraph; `first`: of the first, where that is
        not all of it.
        """
        lines = [self.source[index] for index in own]
        if first is not None:
            lines[0] = first
        for index, shown in zip(own, self.inline.shown("\n".join(lines)).split("\n"), strict=True):
            self.out[index] = shown.rstrip()

    def enter(self, marker: str) -> OpenList:
        """Begins an item of the list with this marker: an open one, or one within the item."""
        self.continued = False
        lists = self.around[-1].lists
        found = next((n for n, each in enumerate(lists, 1) if each.marker == marker), None)
        lead = self.introduction()
        if found is None:
            lists.append(OpenList(marker, lead))
        del lists[found or len(lists) :]
        lists[-1].count += 1
        return lists[-1]

    def begin(self, *, indented: bool = False) -> None:
        """Begins a block that is no item: it ends the lists that it is not within."""
        if not indented:
            self.end_lists()
        self.continued = False

    def end_lists(self) -> None:
        if self.blank and not self.continued:
            self.around[-1].lists.clear()

    def open(self, delimiter: str, *, note: bool) -> None:
        if len(self.around) <= _DEEPEST:
            self.around.append(OpenBlock(delimiter, note))

    def close(self, delimiter: str) -> bool:
        """Ends the inmost block with this delimiter and what is within it, if there is one."""
        for depth in range(len(self.around) - 1, 0, -1):
            if self.around[depth].delimiter == delimiter:
                del self.around[depth:]
                return True
        return False

    def introduction(self) -> int | None:
        """The number of what introduces an item, code or a row that begins here."""
        number = self.opens
        if number is None:
            return self.lists[-1].item if self.lists else None
        if self.found[number].kind is BlockKind.PARAGRAPH:
            self.found[number].kind = BlockKind.LEAD
        return number

    def add(
        self, kind: BlockKind, first: int, last: int, lead: int | None = None, level: int = 0
    ) -> int:
        """The block's number."""
        if self.named_at is not None and kind is not BlockKind.HEADING:
            first, self.named_at = self.named_at, None
        self.found.append(Found(kind, first, last, level or len(self.lists), lead))
        self.opens = None
        return len(self.found) - 1
