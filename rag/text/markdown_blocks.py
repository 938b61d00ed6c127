"""Blocks of a Markdown document: CommonMark's own block structure, by markdown-it-py.

Only blocks are parsed; inline markup stays as it is written. Lines that hold nothing but a mark
for a site's generator or a tag of HTML, comments and link definitions are in no block.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from rag.text.front_matter import front_matter
from rag.text.leads import ends_open, lead_above
from state.blocks import Block, BlockKind, Extent, Placed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_NESTING = 20
_LONG_LINE = 100_000
_INTRODUCED = frozenset(
    {"bullet_list_open", "ordered_list_open", "fence", "code_block", "table_open"}
)
_CONTAINERS = frozenset({"bullet_list", "ordered_list", "list_item", "blockquote"})
_TAG = r"</?(?!(?:pre|script|style|textarea)\b)[A-Za-z][\w.:-]*(?:\s[^<>\n]{0,500})?/?>"
_MARK = rf"(?:\{{\{{[<%*/][^\n]{{0,500}}?\}}\}}|\{{%[^\n]{{0,500}}?%\}}|{_TAG})"
_ALONE = re.compile(
    rf"[ \t]*(?:(?:{_MARK}[ \t]*){{1,8}}|:::+.*|import\s.{{0,200}}\sfrom\s+[\"'].*)"
)
"""A line of marks that a site's generator reads, or of tags; their words are no one's."""
_COMMENT = re.compile(r"(?:^|(?<=-->))[ \t>]*<!--.*?(?:-->|\Z)", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_WRAPPED = re.compile(r"\s*<([A-Za-z]\w{0,20})(?:\s[^<>]{0,500})?>([^<]*)</\1>\s*")
"""A tag around the whole of a text: its name, and what is in it."""
_UNWRAPPED = frozenset({BlockKind.PARAGRAPH, BlockKind.NOTE})
_ALERT = re.compile(r"\[!\w+\][+-]?[ \t]*(?:\n[ \t>]*)?")
_ANCHOR = re.compile(r"\s*\{[#.][^{}]*\}\s*$")
_CODE_SPAN = re.compile(r"(`+)([^`\n]+)\1")
_MARKER = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]*$")


def markdown_blocks(text: str) -> list[Placed] | None:
    """The blocks of the whole document, or None where it is no Markdown to be parsed: lines
    that no person writes cost its parser a time that grows with their square.
    """
    if any(len(line) > _LONG_LINE for line in text.split("\n")):
        return None
    fields, body = front_matter(text)
    try:
        # A carriage return would count as a line of its own.
        tokens = _parser().parse(_without_marks(text[body:].replace("\r", " ")))
    except (RecursionError, IndexError, ValueError) as error:
        logging.getLogger(__name__).info("read as plain text: %s", error)
        return None
    return _TokenReader(text, body, fields).blocks(tokens)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _NESTING}).enable("table")
    return parser.disable(["inline", "text_join"])


def _without_marks(text: str) -> str:
    """The text with lines of marks alone left blank, other than in fences."""
    lines, fence = text.split("\n"), ""
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line.strip(" \t>`~"):
            fence = ""
        elif not fence and _ALONE.fullmatch(line):
            lines[number] = ""
    return "\n".join(lines)


@dataclass(slots=True)
class _List:
    lead: Extent | None


@dataclass(slots=True)
class _Item:
    at: int
    extent: Extent | None = None


@dataclass(slots=True)
class _TokenReader:
    """Over the tokens in order. `_inside` are the lists, items and quotations around."""

    text: str
    body: int
    placed: list[Placed]
    _starts: list[int] = field(default_factory=list)
    _inside: list[_List | _Item | None] = field(default_factory=list)
    _introduces: Extent | None = None
    _header: Extent | None = None

    def blocks(self, tokens: Sequence[Token]) -> list[Placed]:
        position = self.body
        for line in self.text[self.body :].split("\n"):
            self._starts.append(position)
            position += len(line) + 1
        self._starts.append(position)
        for index, token in enumerate(tokens):
            if token.type.removesuffix("_open").removesuffix("_close") in _CONTAINERS:
                self._container(token)
            elif token.type == "paragraph_open":
                self._paragraph(tokens, index)
            elif token.type == "heading_open":
                self._heading(token, tokens[index + 1].content)
            else:
                self._leaf(token)
        return self.placed

    def _leaf(self, token: Token) -> None:
        match token.type:
            case "fence" | "code_block":
                self._code(token)
            case "table_open":
                self._header = None
            case "tr_open":
                self._row(token)
            case "html_block":
                self._html(token)

    def _container(self, token: Token) -> None:
        if token.type.endswith("_close"):
            self._inside.pop()
            self._introduces = None
        elif token.type == "list_item_open":
            self._inside.append(_Item(self._line(token, 0)))
        elif token.type == "blockquote_open":
            self._inside.append(None)
        else:
            self._inside.append(_List(self._introduction()))

    def _line(self, token: Token, which: int) -> int:
        assert token.map is not None
        return self._starts[min(token.map[which], len(self._starts) - 1)]

    def _introduction(self) -> Extent | None:
        """Of a list, code or table that begins here."""
        if self._introduces is not None:
            return self._introduces
        around = self._inside[-1] if self._inside else None
        return around.extent if isinstance(around, _Item) else None

    def _level(self) -> int:
        return sum(isinstance(each, _List) for each in self._inside)

    def _paragraph(self, tokens: Sequence[Token], index: int) -> None:
        token, content = tokens[index], tokens[index + 1].content
        at, end = self._line(token, 0), self._line(token, 1)
        start = self._content_start(at, content)
        item = self._inside[-1] if self._inside else None
        level = self._level()
        if isinstance(item, _Item) and tokens[index - 1].type == "list_item_open":
            kind, at = BlockKind.ITEM, item.at
            marker = _MARKER.search(self.text[max(at, start - 20) : start])
            start -= len(marker.group()) if marker else 0
            around = self._inside[-2]
            lead = around.lead if isinstance(around, _List) else None
        else:
            kind, lead = BlockKind.PARAGRAPH, None
            if any(each is None for each in self._inside):
                kind = BlockKind.NOTE
                alert = _ALERT.match(self.text, start, end)
                start = alert.end() if alert else start
        for mark in reversed([*_COMMENT.finditer(self.text, start, end)]):
            # Set in so far that it passes for a line of the paragraph.
            if self.text[mark.end() : end].strip():
                break
            end = mark.start()
        code = _CODE_SPAN.fullmatch(self.text[start:end].strip())
        if code is not None and kind is BlockKind.PARAGRAPH:
            start = self.text.index(code.group(), start)
            start, end = start + code.start(2), start + code.end(2)
            lead = lead_above(self.text, self.placed, at)
            self._add(at, Block(BlockKind.CODE, start, end, level, lead))
            return
        opens = ends_open(self.text[start:end])
        following = tokens[index + 3].type if index + 3 < len(tokens) else ""
        if opens and kind is BlockKind.PARAGRAPH and following in _INTRODUCED:
            kind = BlockKind.LEAD
        block = self._add(at, Block(kind, start, end, level, lead))
        if block is None:
            return
        if isinstance(item, _Item) and kind is BlockKind.ITEM:
            item.extent = block.extent
        if opens and following in _INTRODUCED:
            self._introduces = block.extent

    def _content_start(self, at: int, content: str) -> int:
        """Where on its line a paragraph begins: behind the marks of what it stands in."""
        line_end = self.text.find("\n", at)
        line = self.text[at : line_end if line_end >= 0 else len(self.text)].rstrip()
        first = content.split("\n", 1)[0].rstrip()
        if first and line.endswith(first):
            return at + len(line) - len(first)
        return at + len(line) - len(line.lstrip())

    def _heading(self, token: Token, content: str) -> None:
        at, end = self._line(token, 0), self._line(token, 1)
        content = _ANCHOR.sub("", content)
        start = self.text.find(content.split("\n", 1)[0], at, end)
        if not content or start < 0:
            return
        underlined = "\n" in content
        end = self.text.rfind("\n", start, end - 1) if underlined else start + len(content)
        self._add(at, Block(BlockKind.HEADING, start, end, int(token.tag[1])))

    def _code(self, token: Token) -> None:
        at, end = self._line(token, 0), self._line(token, 1)
        start = at
        if token.type == "fence":
            assert token.map is not None
            first = token.map[0] + 1
            start = self._starts[min(first, len(self._starts) - 1)]
            last = min(first + token.content.count("\n"), token.map[1], len(self._starts) - 1)
            end = self._starts[last]
        lead = self._introduction()
        self._add(at, Block(BlockKind.CODE, start, min(end, len(self.text)), self._level(), lead))

    def _row(self, token: Token) -> None:
        at, end = self._line(token, 0), self._line(token, 1)
        lead = self._introduction() if self._header is None else self._header
        start = self._content_start(at, "")
        block = self._add(at, Block(BlockKind.ROW, start, end, self._level(), lead))
        if self._header is None and block is not None:
            self._header = block.extent

    def _html(self, token: Token) -> None:
        """What stands between its marks; of what is set by a person, as it is set."""
        at, end = self._line(token, 0), self._line(token, 1)
        name = token.content.lstrip()[1:7].lower()
        if name.startswith(("script", "style")):
            return
        kind = BlockKind.CODE if name.startswith("pre") else BlockKind.PARAGRAPH
        for mark in _COMMENT.finditer(self.text, at, end):
            self._add(at, Block(kind, at, mark.start(), self._level()))
            at = mark.end()
        self._add(at, Block(kind, at, end, self._level()))

    def _add(self, at: int, block: Block) -> Block | None:
        """Notes the block without its outer whitespace; None where nothing is left of it."""
        text = self.text
        last = self.placed[-1].block.end_char if self.placed else 0
        start, end = max(block.start_char, last), min(block.end_char, len(text))
        wrapped = _WRAPPED.fullmatch(text, start, end) if block.kind in _UNWRAPPED else None
        if wrapped is not None:
            start, end = wrapped.span(2)
            if re.fullmatch("h[1-6]", wrapped[1]):
                block = block._replace(kind=BlockKind.HEADING, level=int(wrapped[1][1]))
        end = start + len(text[start:end].rstrip())
        found = end - len(text[start:end].lstrip())
        if found >= end:
            return None
        if block.kind is BlockKind.CODE:
            found = max(text.rfind("\n", start, found) + 1, start)
        self._introduces = None
        block = block._replace(start_char=found, end_char=end)
        self.placed.append(Placed(min(max(at, last), found), block))
        return block
