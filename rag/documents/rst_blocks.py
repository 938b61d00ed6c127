"""A reStructuredText document as clean text on its own lines, and the blocks of that text.

docutils says what the text of a block is; its lines are found again in the source, so that
line n of the text is line n of the file. Where that fails, a block stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from docutils import nodes

from rag.documents.found import all_blocks
from rag.documents.rst_parse import ADMONITIONS, DirectiveNode, parse
from rag.documents.rst_source import SourceLines, mark_header
from rag.documents.rst_written import Written, shown_text
from state.blocks import BlockKind, Placed

_FIELD_MARK = re.compile(r"^(\s*):((?:[^:\\\n]|\\.|:(?!\s))+):(\s+|$)")
_VERSE_MARK = re.compile(r"^(\s*)\| ?")
_FOOTNOTE = re.compile(r"\.\. (?:\[[#*][^\]]*\] *)?")
"""The mark of a footnote; of one without a number nothing refers to what it is called."""
_UNSEEN = (nodes.comment, nodes.target, nodes.substitution_definition)
_INTRODUCED = (
    nodes.bullet_list, nodes.enumerated_list, nodes.definition_list, nodes.literal_block,
    nodes.doctest_block, nodes.table, DirectiveNode,
)  # fmt: skip


def read_blocks(text: str) -> tuple[str, list[Placed]]:
    """The clean text, with as many lines as `text`, and its blocks."""
    lines = text.split("\n")
    mark_header(lines)
    written = Written(SourceLines(lines))
    _Walk(written).visit_all(parse("\n".join(lines)).children)
    return "\n".join(written.out), all_blocks(written.out, written.found)


@dataclass(slots=True)
class _Walk:
    """Over the tree in order."""

    _written: Written
    _depth: int = 0  # of sections
    _note: bool = False

    def visit_all(self, siblings: Sequence[nodes.Node], lead: int | None = None) -> None:
        """`lead`: what introduces the first of them."""
        for node, following in pairwise([*siblings, None]):
            if isinstance(node, nodes.paragraph):
                lead = self._paragraph(node, following)
                continue
            self._element(node, lead)
            lead = None

    def _element(self, node: nodes.Node, lead: int | None) -> None:
        if isinstance(node, nodes.Text | nodes.system_message | nodes.image):
            return
        for kinds, handle in _HANDLERS:
            if isinstance(node, kinds):
                handle(self, node, lead)
                return
        self.visit_all(node.children, lead)

    def visit_section(self, node: nodes.Element, _lead: int | None) -> None:
        self._depth += 1
        self.visit_all(node.children)
        self._depth -= 1

    def _paragraph(self, node: nodes.Element, following: nodes.Node | None) -> int | None:
        """Its number, where it introduces what follows."""
        text = shown_text(node).rstrip()
        opens = text.endswith(":") or node.rawsource.endswith("::")
        opens = opens and isinstance(following, _INTRODUCED)
        kind = BlockKind.LEAD if opens and not self._note else self._prose
        found = self._written.place(node, kind)
        return found if opens else None

    @property
    def _prose(self) -> BlockKind:
        return BlockKind.NOTE if self._note else BlockKind.PARAGRAPH

    def visit_quoted(self, node: nodes.Element, _lead: int | None) -> None:
        before, self._note = self._note, True
        self.visit_all(node.children)
        self._note = before

    def visit_title(self, node: nodes.Element, _lead: int | None) -> None:
        self._written.title(node, self._depth)

    def visit_code(self, node: nodes.Element, lead: int | None) -> None:
        self._written.code(node, lead)

    def visit_table(self, node: nodes.Element, lead: int | None) -> None:
        self._written.drawn_table(node, lead)

    def visit_list(self, node: nodes.Element, lead: int | None) -> None:
        self._written.level += 1
        for item in node.children:
            self._item(item, lead)
        self._written.level -= 1

    def _item(self, item: nodes.Element, lead: int | None, start: int | None = None) -> None:
        """`start`: the line that it begins on, where that is before its first paragraph."""
        children = list(item.children)
        found = None
        if children and isinstance(children[0], nodes.paragraph):
            found = self._written.place(children.pop(0), BlockKind.ITEM, lead)
            if found is not None and start is not None:
                self._written.begins(found, start)
        self.visit_all(children, found)

    def visit_definitions(self, node: nodes.Element, lead: int | None) -> None:
        self._written.level += 1
        for item in node.children:
            self._item(item.children[-1], lead, self._written.term(item))
        self._written.level -= 1

    def visit_fields(self, node: nodes.Element, _lead: int | None) -> None:
        for each in node.children:
            self._field(each)

    def _field(self, node: nodes.Element) -> None:
        name, body = node.children
        mark = f":{name.rawsource}:"
        start = self._written.source.find([mark], node.line, begins=True)
        count = len(self._written.found)
        children = list(body.children)
        if children and isinstance(children[0], nodes.paragraph):
            self._written.place(children.pop(0), BlockKind.METADATA)
        if start is not None:
            self._written.cut(_FIELD_MARK, r"\1\2: ", start)
            if len(self._written.found) > count:
                self._written.begins(count, start)
            elif not children:
                self._written.hide(range(start, start + 1))
        self.visit_all(children)

    def visit_options(self, node: nodes.Element, _lead: int | None) -> None:
        for each in node.children:
            self._option(each)

    def _option(self, node: nodes.Element) -> None:
        group, body = node.children
        start = self._written.source.find([group.children[0].astext()], node.line, begins=True)
        self._written.level += 1
        self._item(body, None, start)
        self._written.level -= 1

    def visit_verse(self, node: nodes.Element, _lead: int | None) -> None:
        placed = [self._written.place(line, self._prose) for line in node.findall(nodes.line)]
        for each in placed:
            if each is not None:
                self._written.cut(_VERSE_MARK, r"\1", self._written.found[each].first)

    def visit_directive(self, node: DirectiveNode, lead: int | None) -> None:
        first, body = node["first"], node["body"]
        self._written.hide(range(first, body))
        self._written.source.cursor = max(self._written.source.cursor, first)
        if "rows" in node:
            self._written.told_table(node, lead)
            return
        children = list(node.children)
        before, self._note = self._note, self._note or node["name"] in ADMONITIONS
        if children and children[0].get("argument"):
            argument = children.pop(0)
            if "\n" not in argument.rawsource.strip() and not self._note:
                # What is declared: a function, an option; its first paragraph belongs to it.
                self._declared(node, argument, children)
            else:
                self._announced(node, argument)
        self.visit_all(children, lead)
        self._note = before

    def _announced(self, node: DirectiveNode, argument: nodes.Element) -> None:
        found = self._written.place(argument, self._prose)
        if found is not None:
            self._written.name(node["name"], self._written.found[found].first)

    def _declared(
        self, node: DirectiveNode, argument: nodes.Element, children: list[nodes.Node]
    ) -> None:
        found = self._written.place(argument, BlockKind.ITEM)
        if found is None:
            return
        self._written.name(node["name"], self._written.found[found].first)
        if children and isinstance(children[0], nodes.paragraph):
            more = self._written.place(children.pop(0), BlockKind.ITEM)
            if more is not None:
                self._written.found[found].last = self._written.found.pop(more).last

    def visit_footnote(self, node: nodes.Element, _lead: int | None) -> None:
        count = len(self._written.found)
        self.visit_all(node.children)
        if len(self._written.found) == count:
            return
        block = self._written.found[count]
        for line in (block.first - 1, block.first):
            if line >= 0 and self._written.out[line].lstrip().startswith(".. ["):
                self._written.cut(_FOOTNOTE, "", line)
                block.first = line
                break

    def visit_hide(self, node: nodes.Element, _lead: int | None) -> None:
        self._written.hide(self._written.source.explicit(node.rawsource.split("\n"), node.line))


_HANDLERS = (
    (nodes.section, _Walk.visit_section),
    ((nodes.title, nodes.subtitle), _Walk.visit_title),
    ((nodes.bullet_list, nodes.enumerated_list), _Walk.visit_list),
    (nodes.definition_list, _Walk.visit_definitions),
    (nodes.field_list, _Walk.visit_fields),
    (nodes.option_list, _Walk.visit_options),
    ((nodes.literal_block, nodes.doctest_block), _Walk.visit_code),
    (nodes.table, _Walk.visit_table),
    (nodes.line_block, _Walk.visit_verse),
    (DirectiveNode, _Walk.visit_directive),
    (nodes.block_quote, _Walk.visit_quoted),
    ((nodes.footnote, nodes.citation), _Walk.visit_footnote),
    (_UNSEEN, _Walk.visit_hide),
)
