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
        if not self.markdown:
            column = indent_of(line, TAB)
            if after_blank and kind is BlockKind.CODE and column < self._indent:
                blocks.close()
                kind = None
            is_code = column >= SET_IN and self._looks_like_code(
                line, blocks, kind, after_blank=after_blank, column=column
            )
            self._indent = min(column, self._indent if kind else column)
            self._above = column
            return is_code
        indent = indent_of(line)
        if kind is BlockKind.CODE:
            return indent >= self._indent
        if kind in PROSE and not after_blank:
            return False
        inside = [item.content for item in blocks.items if item.content <= indent]
        self._indent = (inside[-1] if inside else 0) + SET_IN
        return indent >= self._indent

    def _looks_like_code(
        self,
        line: str,
        blocks: BlockBuilder,
        kind: BlockKind | None,
        *,
        after_blank: bool,
        column: int,
    ) -> bool:
        """Whether an indented line is code, in a text without marks for code."""
        is_item = ITEM.match(line) is not None
        goes_on = not after_blank and column <= self._above
        if kind in PROSE and goes_on:
            return False
        if kind is BlockKind.CODE or (blocks.items and is_item):
            return kind is BlockKind.CODE and not (blocks.items and is_item)
        if after_blank and blocks.opens and not blocks.items and not is_item:
            return True
        return (after_blank or len(line.strip()) < 80) and bool(CODE_LIKE.search(line))
