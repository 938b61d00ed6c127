"""Parses a text of any format into blocks, line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rag.text.block_builder import BlockBuilder, Item
from rag.text.front_matter import front_matter
from rag.text.line_marks import (
    DEFINITION,
    DELIMITERS,
    FENCE,
    GLANCE,
    ITEM,
    MARKDOWN_ITEM,
    QUOTED,
    RULE,
    HeadingLine,
    heading,
    indent_of,
    is_row,
    section,
    table_heading,
)
from rag.text.markup_filter import ADMONITION, MarkupFilter
from state.blocks import PROSE, Block, BlockKind, Extent

MARKDOWN = frozenset({"markdown", "rst", "notebook"})
_TABLES = frozenset({"csv", "tsv", "xlsx", "xls"})
_APART = {"code": re.compile(r"---\s*"), "text": re.compile(r"\[\[[\w.:-]{1,80}\]\]\s*")}
"""Lines that part others as blank ones do: between documents of YAML, AsciiDoc's anchors."""
_UNMARKED = frozenset({"code", "log"}) | _TABLES
"""Formats whose lines are never a heading, a fence or an item."""
_SET_IN = 4
"""Columns that code is indented by, and whatever belongs to a line of Markdown above."""


def blocks_of_text(text: str, document_format: str = "text", base: int = 0) -> list[Block]:
    """The blocks of a text that begins at `base` of its document, in order, none overlapping.

    `document_format` as a reader names it.
    """
    return BlockParser(document_format).blocks(text, base, ends=True, begins=True)


@dataclass(slots=True)
class BlockParser:
    """The state of parsing where the next line begins. `format`: as a reader names it; Markdown has
    marks of its own, code and tables have none.
    """

    format: str
    _fence: str = ""
    _filter: MarkupFilter = field(default_factory=MarkupFilter)
    _blank: bool = True  # the line before was blank, or as good as blank
    _markup: bool = False  # it was for programs
    _quoted: bool = False
    _skip: bool = False  # the next line is of a heading or definition that was read
    _list_lead: Extent | None = None
    _is_markdown: bool = False
    _blocks: BlockBuilder = field(init=False)
    _code_indent: int = 0

    def __post_init__(self) -> None:
        self._is_markdown = self.format in MARKDOWN
        self._blocks = BlockBuilder(whole=self._is_markdown)

    def blocks(self, text: str, base: int, *, ends: bool, begins: bool = False) -> list[Block]:
        """The blocks of a stretch of whole lines that begins at `base`; `begins`: its document does
        there; `ends`: what is open where it ends says nothing about what follows.
        """
        self._blocks.text, self._blocks.base = text, base
        fields: list[Block] = []
        position = 0
        if begins and self.format == "markdown":
            fields, position = front_matter(text, base)
        lines = text[position:].split("\n")
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            self._line(base + position, line, following[:GLANCE])
            position += len(line) + 1
        if ends:
            self._fence, self._blank, self._skip = "", True, False
            self._filter, self._quoted, self._list_lead = MarkupFilter(), False, None
        return [*fields, *self._blocks.taken(ends=ends)]

    def _line(self, start: int, line: str, following: str) -> None:
        """Reads the line at `start`; `following` is how the next begins."""
        apart = _APART.get(self.format)
        if not line.strip() or (apart is not None and apart.fullmatch(line[:GLANCE])):
            self._blank_line()
        elif self._fence and not (self._quoted and not QUOTED.match(line[:GLANCE])):
            self._inside_fence(start, line)
        elif self._skip:
            self._skip = False
            self._blank = True
        elif self.format in _UNMARKED:
            self._unmarked(start, line, following)
            self._blank = False
        else:
            self._blank = self._marked(start, line, following)

    def _unmarked(self, start: int, line: str, following: str) -> None:
        end = start + len(line)
        begins = self._blank or self._blocks.last is None
        if self.format in _TABLES:
            if begins and (titled := table_heading(line, following)) is not None:
                self._heading(start, titled)
            else:
                self._blocks.row(start, end, after_blank=self._blank, below=following)
        elif self.format == "log":
            self._blocks.begin(BlockKind.ROW, start, end)
        elif self._blocks.open is None:
            self._blocks.begin(BlockKind.CODE, start, end, level=int(line[0] in " \t"))
        else:
            self._blocks.open.end = end

    def _marked(self, start: int, line: str, following: str) -> bool:
        """Reads a line whose marks say what it is; whether it counts as a blank line."""
        self._fence = ""
        glance, indent = line[:GLANCE], indent_of(line[:GLANCE])
        if self._is_indented_code(indent):
            self._code_line(start, line)
            return False
        self._markup = self._is_markdown and self._filter.drops(line)
        if self._markup:
            self._blocks.close()
            self._admonition(start, glance, indent)
            return True
        quotes = QUOTED.match(glance)
        if (quotes is not None) != self._quoted and (quotes or self._blank):
            self._blocks.close()
            self._blocks.leave_items(indent)
            self._quoted = quotes is not None
        first = quotes.end() if quotes else 0
        inner = line[first:]
        if not inner.strip():
            self._blank_line()
            return True
        if quotes:
            glance = inner[:GLANCE]
            indent += 1 + indent_of(glance)
        if (fence := FENCE.match(glance)) is not None:
            self._fenced(start, line, fence[1], indent)
        elif (titled := self._titled(glance, "" if quotes else following)) is not None:
            self._heading(start + first, titled)
        elif self._is_row(glance, following):
            self._blocks.leave_items(indent)
            self._blocks.row(start + first, start + len(line), after_blank=self._blank)
        elif RULE.match(glance) or (inner == "+" and not self._is_markdown):
            self._blocks.close()
        else:
            self._text(start, line, first, indent)
        return False

    def _is_indented_code(self, indent: int) -> bool:
        """Whether a line of Markdown is code, as it is set in by so many columns."""
        if not self._is_markdown or self._markup or self._filter.is_open:
            return False
        if self._blocks.kind in PROSE and not self._blank:
            return False
        if self._blocks.kind is not BlockKind.CODE:
            inside = [item.content for item in self._blocks.items if item.content <= indent]
            self._code_indent = (inside[-1] if inside else 0) + _SET_IN
        return indent >= self._code_indent

    def _is_row(self, glance: str, following: str) -> bool:
        last = self._blocks.last
        goes_on = not self._blank and last is not None and last.kind is BlockKind.ROW
        if not self._is_markdown:
            alone = not (goes_on or glance.lstrip()[:1] == "|" or is_row(following))
            return is_row(glance) and not alone
        if goes_on and self._blocks.open is None:
            return "|" in glance and not (self._blocks.below_header and DELIMITERS.match(glance))
        if self.format == "rst" and glance.lstrip()[:1] == "|":  # all that is left of its bars
            return True
        return "|" in glance and "|" in following and DELIMITERS.match(following) is not None

    def _titled(self, glance: str, following: str) -> HeadingLine | None:
        above = self._blocks.last if self._blocks.open is None else None
        titled = above is not None and above.kind is BlockKind.HEADING
        is_plain = self.format == "text"
        if is_plain and glance[0] == "#" and (not self._blank or following.startswith("$ ")):
            return None  # a comment of a script
        begins = is_plain and self._blank and glance[0] not in " \t"
        if begins and (found := section(glance, following, titled=titled)):
            return found
        return heading(glance, following, after_blank=self._blank, markdown=self._is_markdown)

    def _heading(self, start: int, titled: HeadingLine) -> None:
        level, first, last, self._skip = titled
        self._blocks.begin(BlockKind.HEADING, start + first, start + last, level=level)
        self._blocks.close()
        self._blocks.items.clear()

    def _admonition(self, start: int, glance: str, indent: int) -> None:
        """Its title is a paragraph; what is set in below it is read as if it were not set in."""
        opens = ADMONITION.match(glance)
        if opens is None:
            return
        self._blocks.leave_items(indent)
        if opens[1]:
            self._blocks.begin(BlockKind.PARAGRAPH, start + opens.start(1), start + opens.end(1))
            self._blocks.close()
        self._set_in(indent)

    def _set_in(self, indent: int) -> None:
        self._blocks.items.append(Item(indent, indent + _SET_IN, None))

    def _code_line(self, start: int, line: str) -> None:
        end = start + len(line)
        if self._blocks.open is not None and self._blocks.kind is BlockKind.CODE:
            self._blocks.open.end = end
            return
        self._blocks.begin(BlockKind.CODE, start, end, lead=self._blocks.introduction())

    def _fenced(self, start: int, line: str, fence: str, indent: int) -> None:
        """Opens a fence: the block of code begins on the line below, even where that is cut off."""
        self._blocks.close()
        if self._is_markdown:  # code of another format is not set in
            self._blocks.leave_items(indent)
        self._fence = fence
        below = start + len(line) + 1
        self._blocks.begin(BlockKind.CODE, below, below, lead=self._blocks.introduction())

    def _inside_fence(self, start: int, line: str) -> None:
        text = line.strip(" \t>")
        if text.startswith(self._fence) and not text.strip(self._fence[0]):
            self._blocks.close()
            self._fence, self._blank = "", True
        else:
            self._code_line(start, line)

    def _text(self, start: int, line: str, first: int, indent: int) -> None:
        """Reads a line of prose, its words from `first` on: an item, a definition or more of the
        open block.
        """
        inner, end = line[first:], start + len(line)
        item = (MARKDOWN_ITEM if self._is_markdown else ITEM).match(inner[:GLANCE])
        opened = None if self._blank else self._blocks.open
        if item is not None and self._is_markdown and opened and not self._blocks.items:
            # A year at a line's start is no item.
            item = item if item[2] in (None, "1") else None
        if item is not None:
            self._item(start, line, first, indent, item.end() - 1)
        elif opened is not None and opened.kind in PROSE:
            if DEFINITION.match(inner) and opened.kind is BlockKind.PARAGRAPH:
                opened.kind, opened.level, opened.whole = BlockKind.ITEM, 1, True
                self._set_in(indent)
            opened.end = end
        else:
            self._blocks.leave_items(indent)
            kind = BlockKind.NOTE if self._quoted else BlockKind.PARAGRAPH
            self._blocks.begin(kind, start + first, end)

    def _item(self, start: int, line: str, first: int, indent: int, content: int) -> None:
        self._blocks.close()
        items = self._blocks.items
        if not items or items[-1].extent is None:
            self._list_lead = self._blocks.introduction()
        self._blocks.leave_items(indent)
        lead = (items[-1].extent if items else None) or self._list_lead
        inner, end = line[first:], start + len(line)
        column = indent + content - (len(inner) - len(inner.lstrip()))
        items.append(Item(indent, column, lead or (start, start)))
        if fence := FENCE.match(inner[content:]):
            self._fenced(start, line, fence[1], column)
        else:
            self._blocks.begin(BlockKind.ITEM, start + first, end, lead=lead)

    def _blank_line(self) -> None:
        # Code may hold blank lines, in a fence or by its indentation.
        is_code = self._blocks.kind is BlockKind.CODE and self.format not in _UNMARKED
        if not (self._fence or is_code):
            self._blocks.close()
        self._blank, self._markup = True, False
