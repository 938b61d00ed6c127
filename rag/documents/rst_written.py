"""The clean lines of a reStructuredText document as far as it is read, and the blocks on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from docutils import nodes

from rag.documents.found import Found, add_rows
from rag.documents.layout import row
from rag.documents.rst_parse import Rows, row_lines
from state.blocks import BlockKind

_MOST_LEVELS = 6
_HEADER_FIELD = re.compile(r"[A-Z][\w-]*:(?: |$)")


@dataclass(slots=True)
class Written:
    """`lines` are the document's, `out` what is shown on them, `found` the blocks; `level` and
    `depth` are those of the list and of the section that are read.
    """

    lines: list[str]
    out: list[str] = field(init=False)
    found: list[Found] = field(default_factory=list)
    level: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        self.out = list(self.lines)

    def place(
        self,
        node: nodes.Element,
        kind: BlockKind,
        lead: int | None = None,
        start: int | None = None,
    ) -> int | None:
        """Puts the node's text on the lines of its source; the number of the block made of it,
        which begins on line `start` where that is above what is known of it.
        """
        source = node.rawsource.split("\n")
        first = node.line - 1
        if not self.stands_at(first, source):
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
        return self._add(kind, first if start is None else min(start, first), last, lead)

    def title(self, node: nodes.Element, _lead: int | None) -> None:
        """A heading, without the rules above and below it."""
        first = node.line - 2
        if not self.stands_at(first, [node.rawsource]):
            return
        level = min(max(self.depth, 1), _MOST_LEVELS)
        self.out[first] = f"{'#' * level} {shown_text(node).strip()}"
        self.out[first + 1] = ""
        if first and self.lines[first - 1].rstrip() == self.lines[first + 1].rstrip():
            self.out[first - 1] = ""
        self.found.append(Found(BlockKind.HEADING, first, first, level))

    def code(self, node: nodes.Element, lead: int | None) -> None:
        """As it stands, without a `::` above it."""
        source = node.rawsource.split("\n")
        first = node.line - 1
        if not self.stands_at(first, source):
            return
        above = next((n for n in range(first - 1, -1, -1) if self.lines[n].strip()), first)
        if self.lines[above].strip() == "::":
            self.out[above] = ""
        last = first + len(source) - 1
        self._add(BlockKind.CODE, first, last, lead)

    def drawn_table(self, node: nodes.Element, lead: int | None) -> None:
        """Its rows as `a | b`, between its first border and its last."""
        rows = row_lines(list(node.findall(nodes.row)))
        if not rows:
            return
        top, below = rows[0][0], rows[-1][0] + 1
        first = next((n for n in range(top - 1, -1, -1) if self._is_border(n)), top)
        ends = (n for n in range(below, len(self.out)) if self._is_border(n))
        last = next((n for n in ends if not "".join(self.out[n + 1 : n + 2]).strip()), below - 1)
        indent = self.out[first][: len(self.out[first]) - len(self.out[first].lstrip())]
        self._table(range(first, last + 1), rows, indent, lead)

    def _is_border(self, line: int) -> bool:
        return self.lines[line].lstrip().startswith(("+", "="))

    def told_table(self, node: nodes.Element, lead: int | None) -> None:
        """That of a directive, in its attribute `rows`, below its title."""
        first, title = node["first"], " ".join(shown_text(each) for each in node.children)
        if title:
            lead = self._add(BlockKind.LEAD, first, first, None)
        lines = range(first, first + node.rawsource.rstrip().count("\n") + 1)
        self._table(lines, node["rows"], "", lead)
        self.out[first] = title or self.out[first]

    def _table(self, lines: range, rows: Rows, indent: str, lead: int | None) -> None:
        self.hide(lines)
        for line, cells in rows:
            self.out[line] = (indent + row([shown_text(cell) for cell in cells])).rstrip()
        places = [line for line, _ in rows if self.out[line]]
        add_rows(self.found, places, self.level, lead)

    def term(self, item: nodes.Element) -> int | None:
        """The line on which the term of a definition was written."""
        term = item.children[0]
        start = int(term.line) - 1
        marks, found, _ = self.lines[start].partition(term.rawsource)
        if not found:
            return None
        shown = " : ".join(shown_text(each) for each in item.children[:-1])
        self.out[start] = marks + " ".join(shown.split())
        return start

    def stands_at(self, first: int, source: Sequence[str]) -> bool:
        """Whether these lines begin at a line's end, and go on in those below it."""
        below = [line.expandtabs(8).strip() for line in self.lines[first : first + len(source)]]
        above, *others = [line.strip() for line in source]
        return below[1:] == others and below[0].endswith(above)

    def name(self, name: str, line: int) -> None:
        """Writes a directive's name in the place of its mark."""
        mark = self.out[line].find("::")
        indent = len(self.out[line]) - len(self.out[line].lstrip())
        shown = self.out[line][mark + 2 :].strip() if mark >= 0 else self.out[line].strip()
        self.out[line] = f"{' ' * indent}{name}: {shown}"

    def cut(self, mark: re.Pattern[str], kept: str, line: int) -> None:
        """Takes a mark out of a line, but for what is `kept` of it."""
        self.out[line] = mark.sub(kept, self.out[line], count=1).rstrip()

    def hide(self, lines: range) -> None:
        for line in range(lines.start, min(lines.stop, len(self.out))):
            self.out[line] = ""

    def _add(self, kind: BlockKind, first: int, last: int, lead: int | None) -> int:
        self.found.append(Found(kind, first, last, self.level, lead))
        return len(self.found) - 1


def shown_text(node: nodes.Node) -> str:
    """What is shown of a node, with as many line breaks as its source has."""
    if isinstance(node, nodes.Text):
        return str(node.astext())
    if isinstance(node, nodes.target | nodes.image | nodes.system_message):
        return ""
    if isinstance(node, nodes.entry):
        return " ".join(shown_text(child) for child in node.children)
    text = ""
    for child in node.children:
        shown = shown_text(child)
        if isinstance(child, nodes.footnote_reference) and not shown:
            text = text.rstrip(" ")
        text += shown
    if isinstance(node, nodes.footnote_reference | nodes.citation_reference) and text:
        text = f"[{text}]"
    if isinstance(node, nodes.Inline):
        text += "\n" * (node.rawsource.count("\n") - text.count("\n"))
    return text


def mark_header(lines: list[str]) -> None:
    """Writes a header as mail has it, such as a PEP begins with, as a field list."""
    end = next((index for index, line in enumerate(lines) if not line.strip()), len(lines))
    head = lines[:end]
    fields = [index for index, line in enumerate(head) if _HEADER_FIELD.match(line)]
    others = (line for index, line in enumerate(head) if index not in set(fields))
    if len(fields) > 1 and fields[0] == 0 and all(line[0] in " \t" for line in others):
        for index in fields:
            lines[index] = ":" + lines[index]
