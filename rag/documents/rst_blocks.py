"""A reStructuredText document as clean text on its own lines, and the blocks of that text.

docutils says what the text of a block is; its lines are found again in the source, so that
line n of the text is line n of the file. Where that fails, a block stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from docutils import nodes

from rag.documents.found import Found, add_rows, placed_blocks
from rag.documents.rst_parse import ADMONITIONS, DirectiveNode, parse
from rag.documents.rst_shown import shown_text
from rag.documents.rst_source import SourceLines, is_rule, mark_header
from rag.documents.rst_table import find_table, write_rows, write_table
from rag.text.placed import Placed
from state.blocks import BlockKind

_FIELD_MARK = re.compile(r"^(\s*):((?:[^:\\\n]|\\.|:(?!\s))+):(\s+|$)")
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
    placing = _Placing(SourceLines(lines))
    placing.visit_all(parse("\n".join(lines)).children)
    return "\n".join(placing.out), placed_blocks(placing.out, placing.found)


@dataclass(slots=True)
class _Placing:
    """`out` are the lines of the text so far; `found` the blocks on them."""

    source: SourceLines
    out: list[str] = field(init=False)
    found: list[Found] = field(default_factory=list)
    _depth: int = 0  # of sections
    _level: int = 0  # of lists
    _note: bool = False

    def __post_init__(self) -> None:
        self.out = list(self.source.lines)

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
        found = self._place(node, kind)
        return found if opens else None

    @property
    def _prose(self) -> BlockKind:
        return BlockKind.NOTE if self._note else BlockKind.PARAGRAPH

    def visit_noted(self, node: nodes.Element, _lead: int | None) -> None:
        before, self._note = self._note, True
        self.visit_all(node.children)
        self._note = before

    def visit_title(self, node: nodes.Element, _lead: int | None) -> None:
        first = self.source.find(node.rawsource.split("\n"), node.line)
        if first is None:
            return
        self.out[first] = f"{'#' * min(max(self._depth, 1), 6)} {shown_text(node).strip()}"
        for line in (first - 1, first + 1):
            if 0 <= line < len(self.source.lines) and is_rule(self.source.lines[line]):
                self.out[line] = ""
        self.source.cursor = first
        level = min(max(self._depth, 1), 6)
        self.found.append(Found(BlockKind.HEADING, first, first, level))

    def visit_list(self, node: nodes.Element, lead: int | None) -> None:
        self._level += 1
        for item in node.children:
            self._item(item, lead)
        self._level -= 1

    def _item(self, item: nodes.Element, lead: int | None, start: int | None = None) -> None:
        """`start`: the line that it begins on, where that is before its first paragraph."""
        children = list(item.children)
        found = None
        if children and isinstance(children[0], nodes.paragraph):
            found = self._place(children.pop(0), BlockKind.ITEM, lead)
            if found is not None and start is not None:
                self.found[found].first = min(start, self.found[found].first)
        self.visit_all(children, found)

    def visit_definitions(self, node: nodes.Element, lead: int | None) -> None:
        self._level += 1
        for item in node.children:
            term, body = item.children[0], item.children[-1]
            start = self.source.find([term.rawsource], term.line, begins=True)
            if start is not None:
                line = self.source.lines[start]
                indent = line[: len(line) - len(line.lstrip())]
                shown = " : ".join(shown_text(each) for each in item.children[:-1])
                self.out[start] = indent + " ".join(shown.split())
                self.source.cursor = start + 1
            self._item(body, lead, start)
        self._level -= 1

    def visit_fields(self, node: nodes.Element, _lead: int | None) -> None:
        for each in node.children:
            self._field(each)

    def _field(self, node: nodes.Element) -> None:
        name, body = node.children
        mark = f":{name.rawsource}:"
        start = self.source.find([mark], node.line, begins=True)
        count = len(self.found)
        children = list(body.children)
        if children and isinstance(children[0], nodes.paragraph):
            self._place(children.pop(0), BlockKind.METADATA)
        if start is not None:
            self.out[start] = _FIELD_MARK.sub(r"\1\2: ", self.out[start]).rstrip()
            if len(self.found) > count:
                self.found[count].first = min(start, self.found[count].first)
            elif not children:
                self.out[start] = ""
        self.visit_all(children)

    def visit_options(self, node: nodes.Element, _lead: int | None) -> None:
        for each in node.children:
            self._option(each)

    def _option(self, node: nodes.Element) -> None:
        group, body = node.children
        start = self.source.find([group.children[0].astext()], node.line, begins=True)
        self._level += 1
        self._item(body, None, start)
        self._level -= 1

    def visit_code(self, node: nodes.Element, lead: int | None) -> None:
        source = node.rawsource.split("\n")
        first = self.source.find(source, node.line)
        if first is None:
            return
        for line in range(self.source.cursor, first):
            if self.source.lines[line].strip() == "::":
                self.out[line] = ""
        last = first + len(source) - 1
        self.source.cursor = last + 1
        self.found.append(Found(BlockKind.CODE, first, last, self._level, lead))

    def visit_verse(self, node: nodes.Element, _lead: int | None) -> None:
        placed = [self._place(line, self._prose) for line in node.findall(nodes.line)]
        for each in placed:
            if each is not None:
                line = self.found[each].first
                self.out[line] = re.sub(r"^(\s*)\| ?", r"\1", self.out[line])

    def visit_directive(self, node: DirectiveNode, lead: int | None) -> None:
        first, body = node["first"], node["body"]
        for line in range(first, min(body, len(self.out))):
            self.out[line] = ""
        self.source.cursor = max(self.source.cursor, first)
        if "rows" in node:
            self._rows(node, lead)
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

    def _rows(self, node: DirectiveNode, lead: int | None) -> None:
        """A table of comma-separated values."""
        title = " ".join(shown_text(each) for each in node.children)
        rows = [(line, [shown_text(cell) for cell in cells]) for line, cells in node["rows"]]
        height = node.rawsource.rstrip().count("\n") + 1
        places = write_rows(self.out, node["first"], height, title, rows)
        if title:
            self.found.append(Found(BlockKind.LEAD, node["first"], node["first"], self._level))
            lead = len(self.found) - 1
        add_rows(self.found, places, self._level, lead)

    def _announced(self, node: DirectiveNode, argument: nodes.Element) -> None:
        found = self._place(argument, self._prose)
        if found is not None:
            self._name(node, self.found[found].first)

    def _declared(
        self, node: DirectiveNode, argument: nodes.Element, children: list[nodes.Node]
    ) -> None:
        found = self._place(argument, BlockKind.ITEM)
        if found is None:
            return
        self._name(node, self.found[found].first)
        if children and isinstance(children[0], nodes.paragraph):
            more = self._place(children.pop(0), BlockKind.ITEM)
            if more is not None:
                self.found[found].last = self.found.pop(more).last

    def _name(self, node: DirectiveNode, line: int) -> None:
        mark = self.out[line].find("::")
        indent = len(self.out[line]) - len(self.out[line].lstrip())
        shown = self.out[line][mark + 2 :].strip() if mark >= 0 else self.out[line].strip()
        self.out[line] = f"{' ' * indent}{node['name']}: {shown}"

    def visit_footnote(self, node: nodes.Element, _lead: int | None) -> None:
        count = len(self.found)
        self.visit_all(node.children)
        if len(self.found) == count:
            return
        block = self.found[count]
        for line in (block.first - 1, block.first):
            if line >= 0 and self.out[line].lstrip().startswith(".. ["):
                self.out[line] = _FOOTNOTE.sub("", self.out[line], count=1)
                block.first = line
                break

    def visit_hide(self, node: nodes.Element, _lead: int | None) -> None:
        for line in self.source.explicit(node.rawsource.split("\n"), node.line):
            self.out[line] = ""

    def visit_table(self, node: nodes.Element, lead: int | None) -> None:
        first = find_table(self.source.lines, self.source.cursor)
        if first is None:
            return
        rows = [[shown_text(entry) for entry in row.children] for row in node.findall(nodes.row)]
        places, self.source.cursor = write_table(self.source.lines, self.out, first, rows)
        add_rows(self.found, places, self._level, lead)

    def _place(self, node: nodes.Element, kind: BlockKind, lead: int | None = None) -> int | None:
        """Puts the node's text on the lines of its source; the number of the block made of it."""
        source = node.rawsource.split("\n")
        first = self.source.find(source, node.line)
        if first is None:
            return None
        shown = [line.strip() for line in shown_text(node).split("\n")]
        if len(shown) > len(source):
            shown[len(source) - 1 :] = [" ".join(shown[len(source) - 1 :])]
        shown += [""] * (len(source) - len(shown))
        for index, (line, text) in enumerate(zip(source, shown, strict=True), first):
            written = self.source.lines[index].rstrip()
            self.out[index] = written[: len(written) - len(line.strip())] + text
        last = first + len(source) - 1
        while last > first and not self.out[last].strip():
            last -= 1
        self.source.cursor = first + len(source)
        self.found.append(Found(kind, first, last, self._level, lead))
        return len(self.found) - 1


_HANDLERS = (
    (nodes.section, _Placing.visit_section),
    ((nodes.title, nodes.subtitle), _Placing.visit_title),
    ((nodes.bullet_list, nodes.enumerated_list), _Placing.visit_list),
    (nodes.definition_list, _Placing.visit_definitions),
    (nodes.field_list, _Placing.visit_fields),
    (nodes.option_list, _Placing.visit_options),
    ((nodes.literal_block, nodes.doctest_block), _Placing.visit_code),
    (nodes.table, _Placing.visit_table),
    (nodes.line_block, _Placing.visit_verse),
    (DirectiveNode, _Placing.visit_directive),
    (nodes.block_quote, _Placing.visit_noted),
    ((nodes.footnote, nodes.citation), _Placing.visit_footnote),
    (_UNSEEN, _Placing.visit_hide),
)
