"""reStructuredText to a tree, by docutils, with every role and directive kept as its text.

A file may use any of Sphinx's roles and directives or its project's own; none of them is run.
Nothing is inserted from other files, nothing raw is kept, and nothing is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Directive, Parser, directives, states
from docutils.utils import new_document, unescape

from rag.documents.csv import quoted_rows

_NAME = re.compile(r"^[ \t]*\.\. +(?:\|[^|\n]*\| +)?([\w.:+-]+) ?::", re.MULTILINE)
_TARGET = re.compile(r"(.*?)\s*<([^<>]*)>\Z", re.DOTALL)
_NUMBERED = frozenset({"pep", "rfc"})
"""Roles of docutils whose text is a number, shown behind the role's name."""

_LITERAL = frozenset(  # a list of strings would take a line each
    """code code-block sourcecode parsed-literal literalinclude doctest testcode testsetup
    testoutput prompt math graphviz mermaid productionlist ipython command-output""".split()  # noqa: SIM905
)
_OPTIONS = re.compile(r"^[ \t]*:[\w-]+:(?:[ \t].*)?$", re.MULTILINE)
"""Where what a directive was given goes over into its options: any is legal, and means nothing."""
_TABLE_OPTION = re.compile(r"\s*:(header|delim):\s+(.*\S)")
Rows = list[tuple[int, list[nodes.Node]]]
"""The line, from 0, of each row of a table, and its cells."""
_DELIMITERS = {"tab": "\t", "space": " "}
_UNSEEN = frozenset(  # a list of strings would take a line each
    """image toctree include raw highlight contents sectnum index role default-role default-domain
    module currentmodule meta header footer title unicode date sectionauthor tabularcolumns
    """.split()  # noqa: SIM905
)
ADMONITIONS = frozenset(  # a list of strings would take a line each
    """attention caution danger error hint important note tip warning admonition seealso todo
    versionadded versionchanged versionremoved deprecated""".split()  # noqa: SIM905
)


class DirectiveNode(nodes.Element):  # type: ignore[misc]
    """A directive's content. `name`; `first` and `body`: the lines, from 0, of its mark and of
    its content; what it was given stands in a `paragraph` with the attribute `argument`.
    """


def parse(text: str) -> nodes.document:
    """The tree of a whole document; `line` of its nodes counts from 1."""
    settings = get_default_settings(Parser)
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    settings.syntax_highlight = "none"
    settings.report_level = settings.halt_level = 5
    settings.warning_stream = False
    document = new_document("", settings)
    inliner = states.Inliner()
    inliner.interpreted = _interpreted  # it reads its own class's variables: no subclass
    with _all_directives(text):
        Parser(inliner=inliner).parse(text, document)
    return document


def _interpreted(rawsource: str, text: str, role: str, _line: int) -> tuple[Any, Any]:
    """Every role is its text: the title of `title <target>`, the last part of `~a.b.c`."""
    shown = unescape(text)
    titled = _TARGET.match(shown)
    if titled is not None and titled.group(1):
        shown = titled.group(1)
    elif shown.startswith("~"):
        shown = shown[1:].rpartition(".")[2]
    elif role.lower() in _NUMBERED:
        shown = f"{role.upper()} {shown.partition('#')[0]}"
    return [nodes.inline(rawsource, shown.removeprefix("!"))], []


class _Any(Directive):  # type: ignore[misc]
    """What it is given and holds, as text."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.name.lower().rpartition(":")[2]
        node = DirectiveNode(self.block_text, name=name)
        node["first"], node["body"] = self.lineno - 1, self.content_offset
        if name in _UNSEEN:
            node["body"] = self.lineno - 1 + self.block_text.rstrip().count("\n") + 1
        elif name in _LITERAL:
            code = "\n".join(self.content)
            if code.strip():
                node += nodes.literal_block(code, code)
                node[-1].line = self.content_offset + 1
        else:
            rows = _TABLES[name](self) if name in _TABLES else []
            if given := self._given():
                shown, _ = self.state.inline_text(given, self.lineno)
                node += nodes.paragraph(given, "", *shown, argument=True)
                begins_below = self.block_text.partition("\n")[0].rstrip().endswith("::")
                node[-1].line = self.lineno + begins_below
            if rows:
                node["rows"] = rows
                return [node]
            self.state.nested_parse(self.content, self.content_offset, node)
        return [node]

    def _given(self) -> str:
        """Its argument, without the options below it."""
        given = self.arguments[0] if self.arguments else ""
        options = _OPTIONS.search(given)
        return (given[: options.start()] if options else given).rstrip()

    def listed(self) -> Rows:
        """Of a table whose rows are the items of a list, and their cells those of a list within."""
        held = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, held)
        rows: Rows = []
        lists = (each for each in held.children if isinstance(each, nodes.bullet_list))
        for item in (row for each in lists for row in each.children):
            cells = [cell for each in item.children for cell in each.children]
            if all(isinstance(cell, nodes.list_item) for cell in cells):
                rows += row_lines([nodes.row("", *(nodes.entry("", *c.children) for c in cells))])
        return rows

    def separated(self) -> Rows:
        """Of a table of comma-separated values."""
        first, rows, delimiter = self.lineno - 1, Rows(), ","
        tables: list[tuple[int, list[str]]] = []
        for number, line in enumerate(self.block_text.split("\n")[: self.content_offset - first]):
            option = _TABLE_OPTION.match(line)
            if option is not None and option.group(1) == "header":
                tables.append((first + number, [option.group(2)]))
            elif option is not None:
                delimiter = _DELIMITERS.get(option.group(2), option.group(2))
        tables.append((self.content_offset, list(self.content)))
        for above, lines in tables:
            for number, cells in quoted_rows(lines, delimiter[:1]):
                shown = (self.state.inline_text(each, above + number + 1)[0] for each in cells)
                rows.append((above + number, [nodes.entry("", *each) for each in shown]))
        return rows


def row_lines(rows: Sequence[nodes.row]) -> Rows:
    """The rows that say anything, each with the line of its first paragraph."""
    lines = ([each.line for each in row.findall(nodes.paragraph) if each.line] for row in rows)
    return [(min(own) - 1, list(row.children)) for row, own in zip(rows, lines, strict=True) if own]


_TABLES = {"csv-table": _Any.separated, "list-table": _Any.listed}


@contextmanager
def _all_directives(text: str) -> Iterator[None]:
    names = {name.lower() for name in _NAME.findall(text)}
    for name in names:
        directives.register_directive(name, _Any)
    try:
        yield
    finally:
        for name in names:
            directives._directives.pop(name, None)  # noqa: SLF001 - there is no other way back
