"""A reStructuredText document as clean text on its own lines, and the blocks of that text.

docutils says what the text of a block is; its lines are found again in the source, so that
line n of the text is line n of the file. Where that fails, a block stays as it is written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from docutils import nodes

from rag.documents.rst_parse import ADMONITIONS, DirectiveNode, parse
from rag.documents.rst_shown import BORDER, row_lines, shown_text
from rag.text.placed import Placed
from rag.text.plain import scan_plain
from state.blocks import Block, BlockKind

_HEADER_FIELD = re.compile(r"[A-Z][\w-]*:(?: |$)")
_FIELD_MARK = re.compile(r"^(\s*):((?:[^:\\\n]|\\.|:(?!\s))+):(\s+|$)")
_UNSEEN = (nodes.comment, nodes.target, nodes.substitution_definition)
_INTRODUCED = (
    nodes.bullet_list, nodes.enumerated_list, nodes.definition_list, nodes.literal_block,
    nodes.doctest_block, nodes.table, DirectiveNode,
)  # fmt: skip


def read_blocks(text: str) -> tuple[str, list[Placed]]:
    """The clean text, with as many lines as `text`, and its blocks."""
    lines = text.split("\n")
    _mark_header(lines)
    placing = _Placing(lines)
    placing.children(parse("\n".join(lines)))
    return placing.result()


def _mark_header(lines: list[str]) -> None:
    """Writes a header as mail has it, such as a PEP begins with, as a field list."""
    end = next((index for index, line in enumerate(lines) if not line.strip()), len(lines))
    head = lines[:end]
    fields = [index for index, line in enumerate(head) if _HEADER_FIELD.match(line)]
    others = (line for index, line in enumerate(head) if index not in set(fields))
    if len(fields) > 1 and fields[0] == 0 and all(line[0] in " \t" for line in others):
        for index in fields:
            lines[index] = ":" + lines[index]


@dataclass(slots=True)
class _Found:
    kind: BlockKind
    first: int
    last: int
    level: int = 0
    lead: int | None = None


@dataclass(slots=True)
class _Placing:
    """`out` are the lines of the text so far; `found` the blocks on them."""

    lines: list[str]
    out: list[str] = field(default_factory=list)
    found: list[_Found] = field(default_factory=list)
    _cursor: int = 0
    _depth: int = 0  # of sections
    _level: int = 0  # of lists
    _note: bool = False

    def __post_init__(self) -> None:
        self.out = list(self.lines)

    def result(self) -> tuple[str, list[Placed]]:
        starts = list(accumulate((len(line) + 1 for line in self.out), initial=0))
        placed: dict[int, Placed] = {}
        end = 0
        for index, found in sorted(enumerate(self.found), key=lambda each: each[1].first):
            start = starts[found.first]
            line = self.out[found.first]
            column = 0 if found.kind is BlockKind.CODE else len(line) - len(line.lstrip())
            if found.kind is BlockKind.HEADING:
                column = line.find(" ") + 1
            stop = starts[found.last] + len(self.out[found.last].rstrip())
            if start < end or start + column >= stop:
                continue
            lead = None if found.lead is None else placed.get(found.lead)
            block = Block(found.kind, start + column, stop, found.level, lead and lead.block.extent)
            placed[index] = Placed(start, block)
            end = stop
        text = "\n".join(self.out)
        return text, _with_rest(text, list(placed.values()))

    def children(self, parent: nodes.Element, lead: int | None = None) -> None:
        """`lead`: what introduces the first of them."""
        for node, following in pairwise([*parent.children, None]):
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
        self.children(node, lead)

    def visit_section(self, node: nodes.Element, _lead: int | None) -> None:
        self._depth += 1
        self.children(node)
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
        self.children(node)
        self._note = before

    def visit_title(self, node: nodes.Element, _lead: int | None) -> None:
        first = self._find(node.rawsource.split("\n"), node.line)
        if first is None:
            return
        self.out[first] = f"{'#' * min(max(self._depth, 1), 6)} {shown_text(node).strip()}"
        for line in (first - 1, first + 1):
            if 0 <= line < len(self.lines) and _is_rule(self.lines[line]):
                self.out[line] = ""
        self._cursor = first
        level = min(max(self._depth, 1), 6)
        self.found.append(_Found(BlockKind.HEADING, first, first, level))

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
        rest = nodes.container()
        rest.children = children
        self.children(rest, found)

    def visit_definitions(self, node: nodes.Element, lead: int | None) -> None:
        self._level += 1
        for item in node.children:
            term, body = item.children[0], item.children[-1]
            start = self._find([term.rawsource], term.line, begins=True)
            if start is not None:
                line = self.lines[start]
                indent = line[: len(line) - len(line.lstrip())]
                shown = " : ".join(shown_text(each) for each in item.children[:-1])
                self.out[start] = indent + " ".join(shown.split())
                self._cursor = start + 1
            self._item(body, lead, start)
        self._level -= 1

    def visit_fields(self, node: nodes.Element, _lead: int | None) -> None:
        for each in node.children:
            self._field(each)

    def _field(self, node: nodes.Element) -> None:
        name, body = node.children
        mark = f":{name.rawsource}:"
        start = self._find([mark], node.line, begins=True)
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
        rest = nodes.container()
        rest.children = children
        self.children(rest)

    def visit_options(self, node: nodes.Element, _lead: int | None) -> None:
        for each in node.children:
            self._option(each)

    def _option(self, node: nodes.Element) -> None:
        group, body = node.children
        start = self._find([group.children[0].astext()], node.line, begins=True)
        self._level += 1
        self._item(body, None, start)
        self._level -= 1

    def visit_code(self, node: nodes.Element, lead: int | None) -> None:
        source = node.rawsource.split("\n")
        first = self._find(source, node.line)
        if first is None:
            return
        for line in range(self._cursor, first):
            if self.lines[line].strip() == "::":
                self.out[line] = ""
        last = first + len(source) - 1
        self._cursor = last + 1
        self.found.append(_Found(BlockKind.CODE, first, last, self._level, lead))

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
        self._cursor = max(self._cursor, first)
        children = list(node.children)
        before, self._note = self._note, self._note or node["name"] in ADMONITIONS
        if children and children[0].get("argument"):
            argument = children.pop(0)
            if "\n" not in argument.rawsource.strip() and not self._note:
                # What is declared: a function, an option; its first paragraph belongs to it.
                self._declared(node, argument, children)
            else:
                self._announced(node, argument)
        rest = nodes.container()
        rest.children = children
        self.children(rest, lead)
        self._note = before

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
        self.children(node)
        if len(self.found) == count:
            return
        block = self.found[count]
        for line in (block.first - 1, block.first):
            if line >= 0 and self.out[line].lstrip().startswith(".. ["):
                self.out[line] = self.out[line].replace(".. ", "", 1)
                block.first = line
                break

    def visit_hide(self, node: nodes.Element, _lead: int | None) -> None:
        source = node.rawsource.split("\n")
        first = self._find(source, node.line)
        if first is None or not source[0].strip():
            return
        if first and self.lines[first - 1].strip() == "..":
            self.out[first - 1] = ""
        elif not self.lines[first].lstrip().startswith(("..", "__")):
            return
        for line in range(first, first + len(source)):
            self.out[line] = ""

    def visit_table(self, node: nodes.Element, lead: int | None) -> None:
        first = next(
            (
                index
                for index in range(self._cursor, len(self.lines))
                if BORDER.match(self.lines[index])
            ),
            None,
        )
        if first is None:
            return
        groups, end = row_lines(self.lines, first)
        rows = list(node.findall(nodes.row))
        self._cursor = end
        if len(groups) != len(rows):  # cells over several rows: left as it is drawn
            for index in range(first, end):
                self.out[index] = self.out[index].replace("``", "")
            return
        header: int | None = lead
        line = self.lines[first]
        indent = line[: len(line) - len(line.lstrip())]
        for index in range(first, end):
            self.out[index] = ""
        for group, row in zip(groups, rows, strict=True):
            cells = (" ".join(shown_text(entry).split()) for entry in row.children)
            self.out[group] = (indent + " | ".join(cells)).rstrip(" |")
            self.found.append(_Found(BlockKind.ROW, group, group, self._level, header))
            if header is lead:
                header = len(self.found) - 1

    def _place(self, node: nodes.Element, kind: BlockKind, lead: int | None = None) -> int | None:
        """Puts the node's text on the lines of its source; the number of the block made of it."""
        source = node.rawsource.split("\n")
        first = self._find(source, node.line)
        if first is None:
            return None
        shown = [line.strip() for line in shown_text(node).split("\n")]
        if len(shown) > len(source):
            shown[len(source) - 1 :] = [" ".join(shown[len(source) - 1 :])]
        shown += [""] * (len(source) - len(shown))
        for index, (line, text) in enumerate(zip(source, shown, strict=True), first):
            written = self.lines[index].rstrip()
            self.out[index] = written[: len(written) - len(line.strip())] + text
        last = first + len(source) - 1
        while last > first and not self.out[last].strip():
            last -= 1
        self._cursor = first + len(source)
        self.found.append(_Found(kind, first, last, self._level, lead))
        return len(self.found) - 1

    def _find(self, source: list[str], line: int | None, *, begins: bool = False) -> int | None:
        """The line that the source of a node begins on: near where docutils says, or below the
        node before.
        """
        candidates = list(range(self._cursor, min(self._cursor + 400, len(self.lines))))
        if line is not None:
            candidates = [line - 1, line - 2, line, *candidates]
        fits = (index for index in candidates if self._stands_at(index, source, begins=begins))
        return next(fits, None)

    def _stands_at(self, index: int, source: list[str], *, begins: bool) -> bool:
        if not 0 <= index <= len(self.lines) - len(source):
            return False
        line, text = self.lines[index].strip(), source[0].strip()
        if not (line.startswith(text) if begins else line.endswith(text)):
            return False
        return all(
            self.lines[index + offset].strip() == source[offset].strip()
            for offset in range(1, len(source))
        )


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


def _is_rule(line: str) -> bool:
    line = line.rstrip()
    return len(line) > 1 and not line[0].isalnum() and not line.strip(line[0]) and line[0] != " "


def _with_rest(text: str, placed: list[Placed]) -> list[Placed]:
    """With the blocks of lines that docutils could make nothing of, by plain rules."""
    whole: list[Placed] = []
    position = 0
    for each in [*placed, None]:
        end = len(text) if each is None else each.at
        if text[position:end].strip():
            for at, block in scan_plain(text[position:end], "rst"):
                lead = block.lead and (block.lead[0] + position, block.lead[1] + position)
                start, stop = block.start_char + position, block.end_char + position
                moved = replace(block, start_char=start, end_char=stop, lead=lead)
                whole.append(Placed(at + position, moved))
        if each is not None:
            whole.append(each)
            position = each.block.end_char
    return whole
