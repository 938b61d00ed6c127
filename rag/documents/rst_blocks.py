"""A reStructuredText document as clean text on its own lines, and the blocks of that text.

docutils says what the text of a block is and where it begins: line n of the text is line n of the
file. A block that does not stand there stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from docutils import nodes

from rag.documents.found import all_blocks
from rag.documents.rst_parse import ADMONITIONS, DirectiveNode, parse
from rag.documents.rst_written import Written, mark_header, shown_text
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
    walk = _Walk(lines)
    walk.visit_all(parse("\n".join(lines)).children)
    return "\n".join(walk.out), all_blocks(walk.out, walk.found)


@dataclass(slots=True)
class _Walk(Written):
    """Over the tree in order."""

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
        self.depth += 1
        self.visit_all(node.children)
        self.depth -= 1

    def _paragraph(self, node: nodes.Element, following: nodes.Node | None) -> int | None:
        """Its number, where it introduces what follows."""
        text = shown_text(node).rstrip()
        opens = text.endswith(":") or node.rawsource.endswith("::")
        opens = opens and isinstance(following, _INTRODUCED)
        kind = BlockKind.LEAD if opens and not self._note else self._prose
        found = self.place(node, kind)
        return found if opens else None

    @property
    def _prose(self) -> BlockKind:
        return BlockKind.NOTE if self._note else BlockKind.PARAGRAPH

    def visit_quoted(self, node: nodes.Element, _lead: int | None) -> None:
        before, self._note = self._note, True
        self.visit_all(node.children)
        self._note = before

    def visit_list(self, node: nodes.Element, lead: int | None) -> None:
        self.level += 1
        for item in node.children:
            if isinstance(item, nodes.definition_list_item):
                self._item(item.children[-1], lead, self.term(item))
            else:
                self._item(item, lead)
        self.level -= 1

    def _item(self, item: nodes.Element, lead: int | None, start: int | None = None) -> None:
        """`start`: the line that it begins on, where that is before its first paragraph."""
        children = list(item.children)
        found = None
        if children and isinstance(children[0], nodes.paragraph):
            found = self.place(children.pop(0), BlockKind.ITEM, lead, start)
        self.visit_all(children, found)

    def visit_field(self, node: nodes.Element, _lead: int | None) -> None:
        body = node.children[1]
        start = node.line - 1
        children = list(body.children)
        found = None
        if children and isinstance(children[0], nodes.paragraph):
            found = self.place(children.pop(0), BlockKind.METADATA, start=start)
        self.cut(_FIELD_MARK, r"\1\2: ", start)
        if found is None and not children:
            self.hide(range(start, start + 1))
        self.visit_all(children)

    def visit_option(self, node: nodes.Element, _lead: int | None) -> None:
        """What it does is told beside it, or below."""
        group, body = node.children
        first = (body.children[0].line or 1) - 1
        beside = self.lines[first].lstrip().startswith(group.children[0].astext())
        self.level += 1
        self._item(body, None, max(first - (not beside), 0))
        self.level -= 1

    def visit_verse(self, node: nodes.Element, _lead: int | None) -> None:
        placed = [self.place(line, self._prose) for line in node.findall(nodes.line)]
        for each in placed:
            if each is not None:
                self.cut(_VERSE_MARK, r"\1", self.found[each].first)

    def visit_directive(self, node: DirectiveNode, lead: int | None) -> None:
        first, body = node["first"], node["body"]
        self.hide(range(first, body))
        if "rows" in node:
            self.told_table(node, lead)
            return
        children = list(node.children)
        before, self._note = self._note, self._note or node["name"] in ADMONITIONS
        if children and children[0].get("argument"):
            self._named(node["name"], children)
        self.visit_all(children, lead)
        self._note = before

    def _named(self, name: str, children: list[nodes.Node]) -> None:
        """Takes from a directive's content what stands beside its name."""
        argument = children.pop(0)
        # What is declared: a function, an option; its first paragraph belongs to it.
        declared = "\n" not in argument.rawsource.strip() and not self._note
        found = self.place(argument, BlockKind.ITEM if declared else self._prose)
        if found is None:
            return
        self.name(name, self.found[found].first)
        if declared and children and isinstance(children[0], nodes.paragraph):
            more = self.place(children.pop(0), BlockKind.ITEM)
            if more is not None:
                self.found[found].last = self.found.pop(more).last

    def visit_footnote(self, node: nodes.Element, _lead: int | None) -> None:
        count = len(self.found)
        self.visit_all(node.children)
        if len(self.found) == count:
            return
        block = self.found[count]
        for line in (block.first - 1, block.first):
            if line >= 0 and self.out[line].lstrip().startswith(".. ["):
                self.cut(_FOOTNOTE, "", line)
                block.first = line
                break

    def visit_hide(self, node: nodes.Element, _lead: int | None) -> None:
        """Of a comment docutils tells a line somewhat below it."""
        source = node.rawsource.split("\n")
        above = range(node.line - 1, max(node.line - len(source) - 4, -1), -1)
        first = next((line for line in above if self.stands_at(line, source)), None)
        if first is None or not source[0].strip():
            return
        begins = first - (self.lines[first - 1 : first] == [".."])
        if begins < first or self.lines[first].lstrip().startswith(("..", "__")):
            self.hide(range(begins, first + len(source)))


_HANDLERS = (
    (nodes.section, _Walk.visit_section),
    ((nodes.title, nodes.subtitle), _Walk.title),
    ((nodes.bullet_list, nodes.enumerated_list, nodes.definition_list), _Walk.visit_list),
    (nodes.field, _Walk.visit_field),
    (nodes.option_list_item, _Walk.visit_option),
    ((nodes.literal_block, nodes.doctest_block), _Walk.code),
    (nodes.table, _Walk.drawn_table),
    (nodes.line_block, _Walk.visit_verse),
    (DirectiveNode, _Walk.visit_directive),
    (nodes.block_quote, _Walk.visit_quoted),
    ((nodes.footnote, nodes.citation), _Walk.visit_footnote),
    (_UNSEEN, _Walk.visit_hide),
)
