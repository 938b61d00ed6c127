"""Parses a text of any format into blocks, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag.text.block_builder import BlockBuilder, Item
from rag.text.code import borders
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
from rag.text.markup_filter import ADMONITION, front_matter, lines_for_programs
from state.blocks import PROSE, Block, BlockKind, Extent

MARKDOWN = frozenset({"markdown", "rst", "notebook"})
_TABLES = frozenset({"csv", "tsv", "xlsx", "xls"})
_APART = {"code": re.compile(r"---\s*"), "text": re.compile(r"\[\[[\w.:-]{1,80}\]\]\s*")}
"""Lines that part others as blank ones do: between documents of YAML, AsciiDoc's anchors."""
_UNMARKED = frozenset({"code", "log"}) | _TABLES
"""Formats whose lines are never a heading, a fence or an item."""
_LONGEST = 1 << 18
"""How many characters of lines without a blank one are one paragraph, which is read whole."""
_SET_IN = 4
"""Columns that code is indented by, and whatever belongs to a line of Markdown above."""


def blocks_of_text(text: str, document_format: str = "text", base: int = 0) -> list[Block]:
    """The blocks of a text that begins at `base` of its document, in order, none overlapping.

    `document_format` as a reader names it.
    """
    is_document = document_format == "markdown" and not base
    found = [*each_block(text, document_format, with_front_matter=is_document)]
    return [block.moved(base) for block in found] if base else found


def each_block(text: str, document_format: str, *, with_front_matter: bool) -> Iterator[Block]:
    """The blocks of a text, one after the other, so that a long one's are not all held."""
    found, position = front_matter(text) if with_front_matter else ([], 0)
    builder = BlockBuilder(text, document_format in MARKDOWN, found)
    lines = [*text[position:].split("\n"), ""]
    parser = _BlockParser(document_format, builder, lines, position)
    if document_format == "code":
        parser.borders = borders(lines)
    at = 0
    while at < len(lines) - 1:
        at = parser.read(at)
        yield from found[:-1]
        del found[:-1]  # of those found the last is looked at
    builder.close()
    yield from found


@dataclass(slots=True)
class _BlockParser:
    """Reads lines, of which the next begins at `_start` of their text; the last is no line of it.
    `format`: as a reader names it; Markdown has marks of its own, code and tables have none.
    `borders` of code, with the levels of the blocks that begin there.
    """

    format: str
    _blocks: BlockBuilder
    _lines: list[str]
    _start: int
    _blank: bool = True  # the line before was blank, or as good as blank
    _markup: bool = False  # it was for programs
    _quoted: bool = False
    _list_lead: Extent | None = None
    _code_indent: int = 0
    borders: dict[int, int] = field(default_factory=dict[int, int])

    def read(self, at: int) -> int:
        """Reads what begins at a line; returns the number of the line behind it."""
        line, following = self._lines[at], self._lines[at + 1][:GLANCE]
        apart = _APART.get(self.format)
        behind, is_markdown = at + 1, self._blocks.is_markdown
        if not line.strip() or (apart is not None and apart.fullmatch(line[:GLANCE])):
            self._blank_line()
        elif self.format in _UNMARKED:
            self._unmarked(at, line, following)
            self._blank = False
        elif is_markdown and self._is_indented_code(line):
            self._code_line(line)
            self._blank = False
        elif is_markdown and (unread := lines_for_programs(self._lines, at)):
            behind = at + unread
            self._blocks.close()
            self._admonition(line)
            self._blank = self._markup = True
        else:
            self._markup = False
            behind, self._blank = self._marked(at, line, following)
        self._start += sum(map(len, self._lines[at:behind])) + behind - at
        return behind

    def _unmarked(self, at: int, line: str, following: str) -> None:
        start, end = self._start, self._start + len(line)
        begins = self._blank or self._blocks.last is None
        if self.format in _TABLES:
            if begins and (titled := table_heading(line, following)) is not None:
                self._heading(start, titled)
            else:
                self._blocks.row(start, end, after_blank=self._blank, below=following)
        elif self.format == "log":
            self._blocks.begin(BlockKind.ROW, start, end)
        elif self._blocks.open is None or at in self.borders:
            level = self.borders.get(at, int(line[0] in " \t"))
            self._blocks.begin(BlockKind.CODE, start, end, level=level)
        else:
            self._blocks.extend(end)

    def _marked(self, at: int, line: str, following: str) -> tuple[int, bool]:
        """Reads what begins at a line whose marks say what it is; returns the number of the line
        behind it, and whether it counts as a blank line.
        """
        glance, indent, start = line[:GLANCE], indent_of(line[:GLANCE]), self._start
        quotes = QUOTED.match(glance)
        if (quotes is not None) != self._quoted and (quotes or self._blank):
            self._blocks.close()
            self._blocks.leave_items(indent)
            self._quoted = quotes is not None
        first = quotes.end() if quotes else 0
        inner = line[first:]
        if not inner.strip():
            self._blank_line()
            return at + 1, True
        if quotes:
            glance = inner[:GLANCE]
            indent += 1 + indent_of(glance)
        if (fence := FENCE.match(glance)) is not None:
            return self._fenced(at, fence[1], indent)
        if (titled := self._titled(glance, "" if quotes else following)) is not None:
            self._heading(start + first, titled)
            return at + 1 + titled.underlined, titled.underlined
        if self._is_row(glance, following):
            self._blocks.leave_items(indent)
            self._blocks.row(start + first, start + len(line), after_blank=self._blank)
        elif RULE.match(glance) or (inner == "+" and not self._blocks.is_markdown):
            self._blocks.close()
        else:
            return self._text(at, line, first, indent)
        return at + 1, False

    def _is_indented_code(self, line: str) -> bool:
        """Whether a line of Markdown is code, as it is set in by so many columns."""
        if self._markup or (self._blocks.kind in PROSE and not self._blank):
            return False
        indent = indent_of(line[:GLANCE])
        if self._blocks.kind is not BlockKind.CODE:
            inside = [item.content for item in self._blocks.items if item.content <= indent]
            # What its reader makes of reStructuredText has prose set in by less.
            content = inside[-1] if inside and self.format != "rst" else 0
            self._code_indent = content + _SET_IN
        return indent >= self._code_indent

    def _code_line(self, line: str) -> None:
        end = self._start + len(line)
        if self._blocks.kind is BlockKind.CODE:
            self._blocks.extend(end)
        else:
            lead = self._blocks.introduction()
            self._blocks.begin(BlockKind.CODE, self._start, end, lead=lead)

    def _is_row(self, glance: str, following: str) -> bool:
        last = self._blocks.last
        goes_on = not self._blank and last is not None and last.kind is BlockKind.ROW
        if not self._blocks.is_markdown:
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
        return heading(
            glance, following, after_blank=self._blank, markdown=self._blocks.is_markdown
        )

    def _heading(self, start: int, titled: HeadingLine) -> None:
        first, last = start + titled.first, start + titled.last
        self._blocks.begin(BlockKind.HEADING, first, last, level=titled.level)
        self._blocks.close()
        self._blocks.items.clear()

    def _admonition(self, line: str) -> None:
        """Its title is a paragraph; what is set in below it is read as if it were not set in."""
        opens, indent = ADMONITION.match(line[:GLANCE]), indent_of(line[:GLANCE])
        if opens is None:
            return
        self._blocks.leave_items(indent)
        if opens[1]:
            start, end = self._start + opens.start(1), self._start + opens.end(1)
            self._blocks.begin(BlockKind.PARAGRAPH, start, end)
            self._blocks.close()
        self._set_in(indent)

    def _set_in(self, indent: int) -> None:
        self._blocks.items.append(Item(indent, indent + _SET_IN, None))

    def _fenced(self, at: int, fence: str, indent: int) -> tuple[int, bool]:
        """Reads code in a fence: its block begins on the line below, even where that is cut off. As
        `_marked`.
        """
        self._blocks.close()
        if self._blocks.is_markdown:  # code of another format is not set in
            self._blocks.leave_items(indent)
        start = self._start + len(self._lines[at]) + 1
        self._blocks.begin(BlockKind.CODE, start, start, lead=self._blocks.introduction())
        for number in range(at + 1, len(self._lines)):
            line = self._lines[number]
            said = line.strip(" \t>")
            closes = said.startswith(fence) and not said.strip(fence[0])
            if closes or (self._quoted and line.strip() and not QUOTED.match(line[:GLANCE])):
                self._blocks.close()
                return number + closes, True
            if line.strip():
                self._blocks.extend(start + len(line))
            start += len(line) + 1
        return len(self._lines), True

    def _text(self, at: int, line: str, first: int, indent: int) -> tuple[int, bool]:
        """Reads a line of prose, its words from `first` on: an item, a definition or more of the
        open block. As `_marked`.
        """
        inner, start, end = line[first:], self._start + first, self._start + len(line)
        item = (MARKDOWN_ITEM if self._blocks.is_markdown else ITEM).match(inner[:GLANCE])
        opened = None if self._blank else self._blocks.open
        if item is not None and self._blocks.is_markdown and opened and not self._blocks.items:
            # A year at a line's start is no item.
            item = item if item[2] in (None, "1") else None
        if item is not None:
            content = item.end() - 1
            column = indent + content - (len(inner) - len(inner.lstrip()))
            lead = self._begin_item(indent, column)
            if fence := FENCE.match(inner[content:]):
                return self._fenced(at, fence[1], column)
            self._blocks.begin(BlockKind.ITEM, start, end, lead=lead)
        elif opened is not None and opened.kind in PROSE and end - opened.start_char < _LONGEST:
            if DEFINITION.match(inner) and opened.kind is BlockKind.PARAGRAPH:
                self._blocks.open = opened._replace(kind=BlockKind.ITEM, level=1)
                self._set_in(indent)
            self._blocks.extend(end)
        else:
            self._blocks.leave_items(indent)
            self._blocks.begin(BlockKind.NOTE if self._quoted else BlockKind.PARAGRAPH, start, end)
        return at + 1, False

    def _begin_item(self, indent: int, column: int) -> Extent | None:
        """Opens an item whose text stands in this column; returns what introduces it."""
        self._blocks.close()
        items = self._blocks.items
        if not items or items[-1].extent is None:
            self._list_lead = self._blocks.introduction()
        self._blocks.leave_items(indent)
        lead = (items[-1].extent if items else None) or self._list_lead
        items.append(Item(indent, column, lead or (self._start, self._start)))
        return lead

    def _blank_line(self) -> None:
        # Code that is set in may hold blank lines.
        if self._blocks.kind is not BlockKind.CODE or self.format in _UNMARKED:
            self._blocks.close()
        self._blank, self._markup = True, False
