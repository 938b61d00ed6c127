"""Which lines are code because they are indented."""

from __future__ import annotations

from dataclasses import dataclass

from rag.text.block_builder import BlockBuilder
from rag.text.line_marks import CODE_LIKE, ITEM, TAB, indent_of
from state.blocks import PROSE, BlockKind

SET_IN = 4
"""Columns that code is indented by, and in Markdown whatever belongs to a line above."""


@dataclass(slots=True)
class IndentedCode:
    """The indentation of a text up to its next line."""

    markdown: bool
    _indent: int = 0  # of the code
    _above: int = 0  # columns that the line before is set in by

    def holds(self, line: str, blocks: BlockBuilder, *, after_blank: bool) -> bool:
        """Whether the line is code; closes a block of code that it is no longer part of."""
        kind = blocks.kind
        if self.markdown:
            indent = indent_of(line)
            if kind is BlockKind.CODE:
                return indent >= self._indent
            if kind in PROSE and not after_blank:
                return False
            inside = [item.content for item in blocks.items if item.content <= indent]
            self._indent = (inside[-1] if inside else 0) + SET_IN
            return indent >= self._indent
        column = indent_of(line, TAB)
        if after_blank and kind is BlockKind.CODE and column < self._indent:
            blocks.close()
            kind = None
        goes_on = kind in PROSE and not after_blank and column <= self._above
        self._indent = min(column, self._indent if kind else column)
        self._above = column
        return column >= SET_IN and not goes_on and _is_code(line, blocks, after_blank=after_blank)


def _is_code(line: str, blocks: BlockBuilder, *, after_blank: bool) -> bool:
    """Whether an indented line is code, in a text without marks for code."""
    is_item = ITEM.match(line) is not None
    if blocks.items and is_item:
        return False
    if blocks.kind is BlockKind.CODE:
        return True
    if after_blank and blocks.opens and not blocks.items and not is_item:
        return True
    return (after_blank or len(line.strip()) < 80) and bool(CODE_LIKE.search(line))
