"""An AsciiDoc document as clean text on its own lines, and the blocks of that text.

It is read by lines, as its language is defined: line n of the text is line n of the file, and
a line that is only markup becomes an empty one. No other file is read, and what a condition
(`ifdef`) encloses is kept, whether it holds or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_letters, digits

from rag.documents import asciidoc_lines as marks
from rag.documents.asciidoc_source import SourceLines
from rag.documents.asciidoc_table import read_rows
from rag.documents.asciidoc_written import Written
from rag.documents.found import all_blocks
from rag.documents.layout import row
from state.blocks import BlockKind, Placed

_LANGUAGE = "+-_" + ascii_letters + digits


def read_blocks(text: str) -> tuple[str, list[Placed]]:
    """The clean text, with as many lines as `text`, and its blocks."""
    walk = _Walk(SourceLines(text.split("\n")))
    walk.run()
    return "\n".join(walk.out), all_blocks(walk.out, walk.found)


@dataclass(slots=True)
class _Walk(Written):
    """Over the lines in order."""

    _style: str = ""
    _attributes: str = ""
    _header: bool = True
    _below_title: int = -1

    def run(self) -> None:
        index = 0
        while index < len(self.source):
            if index in self.source.gone:
                index += 1
            elif not self.source[index]:
                self.blank = True
                index += 1
            else:
                index = self._block(index, self.source[index])

    def _block(self, index: int, line: str) -> int:
        """Reads what begins on the line; the number of the line below it."""
        for read in _ABOVE_BLOCKS:
            below = read(self, index, line)
            if below is not None:
                return below
        self._header = False
        below = next(filter(None, (read(self, index, line) for read in _BLOCKS)))
        self.blank = False
        return below

    def read_comment(self, index: int, line: str) -> int | None:
        is_comment = line.startswith("//") and not line.startswith("///")
        return index + 1 if is_comment else None

    def read_attribute(self, index: int, line: str) -> int | None:
        entry = marks.ATTRIBUTE.match(line) if line[0] == ":" else None
        if entry is None:
            return None
        name, value = entry.group(1), entry.group(2) or ""
        last, value = self.source.continued(index, value)
        self.inline.define(name, value)
        if self._header and value and name.lower() in marks.OF_THE_DOCUMENT:
            self.out[index] = f"{name}: {self.inline.shown(value)}"
            self.add(BlockKind.METADATA, index, index)
        return last + 1

    def read_styled(self, index: int, line: str) -> int | None:
        if line[0] != "[" or not marks.STYLE_LINE.match(line):
            return None
        if not line.startswith("[["):
            self._style, self._attributes = marks.style_of(line) or self._style, line
            if self._style in marks.ADMONITIONS:
                self.out[index] = f"{self._style}:"
                self.named_at = index
        return index + 1

    def read_section(self, index: int, line: str) -> int | None:
        level = marks.underlined_level(line, self.source[index + 1])
        section = marks.SECTION.match(line)
        if len(self.around) > 1 or not (level or section):
            return None
        if section is not None:
            self._heading(index, len(section.group(1)), section.group(2))
            below = index + 1
        else:
            self.inline.compatible |= level == 1
            self._heading(index, level, line)
            below = index + 2
        self._below_title = below
        return below

    def read_author(self, index: int, line: str) -> int | None:
        if not self._header or index != self._below_title or not marks.AUTHOR.match(line):
            return None
        self.out[index] = line
        self.add(BlockKind.METADATA, index, index)
        return index + 1

    def _heading(self, index: int, level: int, title: str) -> None:
        self.around[-1].lists.clear()
        self._forget()
        shown = self.inline.shown(title.removesuffix(" " + "=" * level)).strip()
        self.out[index] = f"{'#' * level} {shown}"
        self.add(BlockKind.HEADING, index, index, level=level)
        self._header = self._header and level == 1

    def read_continue(self, index: int, line: str) -> int | None:
        if line != "+":
            return None
        if self.blank and len(self.lists) > 1 and self.around[-1].lists:
            self.around[-1].lists.pop()
        self.continued = True
        return index + 1

    def read_titled(self, index: int, line: str) -> int | None:
        title = marks.TITLE.match(line)
        if title is None:
            return None
        self.end_lists()
        self.out[index] = self.inline.shown(title.group(1))
        self.opens = self.add(self.prose, index, index)
        return index + 1

    def read_delimited(self, index: int, line: str) -> int | None:
        if not marks.DELIMITER.match(line):
            return None
        if self.close(line):
            self._forget()
            return index + 1
        self.begin()
        fence = line.rstrip(_LANGUAGE) if line[0] == "`" else line
        end = self.source.closing(index, fence)
        if end is None:
            return index + 1
        if line[0] == "/":
            return end + 1
        if (line[0] in "-.`+" and line != "--") or self._is_verbatim:
            self._code(index + 1, end - 1)
            return end + 1
        note = line[0] == "_" or self._style in (*marks.ADMONITIONS, "quote")
        self.open(line, note=note)
        self._style = self._attributes = ""
        return index + 1

    @property
    def _is_verbatim(self) -> bool:
        return self._style in marks.LITERAL_STYLES or self._style == "verse"

    def _code(self, first: int, last: int) -> None:
        written = [index for index in range(first, last + 1) if self.source[index]]
        if written:
            first, last = written[0], written[-1]
            if self._style == "verse":
                self.show(range(first, last + 1))
            else:
                self.out[first : last + 1] = self.source.lines[first : last + 1]
            self.add(BlockKind.CODE, first, last, self.introduction())
        self._forget()

    def read_table(self, index: int, line: str) -> int | None:
        if not marks.TABLE.match(line):
            return None
        end = self.source.closing(index, line)
        if end is None:
            return index + 1
        self.begin()
        rows, headed = read_rows(self.source.lines[index + 1 : end], self._attributes, line[0])
        introduction = header = self.introduction()
        for offset, cells in rows:
            at = index + 1 + offset
            self.out[at] = row([self.inline.shown(cell) for cell in cells])
            if self.out[at]:
                number = self.add(BlockKind.ROW, at, at, header)
                header = number if headed and header == introduction else header
        self._forget()
        return end + 1

    def read_unseen(self, index: int, line: str) -> int | None:
        """A break, a picture, a table of contents."""
        if not marks.BREAK.match(line) and not marks.MACRO.match(line):
            return None
        self.begin()
        return index + 1

    def read_item(self, index: int, line: str) -> int | None:
        marker = marks.list_marker(line)
        if marker is None:
            return None
        entered = self.enter(marker)
        below, shown = self._gather(index)
        if marker[0] in ".*":  # as many as the list is deep
            mark = f"{entered.count}." if marker[0] == "." else "*"
            self.out[index] = self.out[index].replace(marker, mark, 1)
        entered.item = self.add(BlockKind.ITEM, index, shown[-1], entered.lead)
        return below

    def read_definition(self, index: int, line: str) -> int | None:
        """Terms, one or several, and the first paragraph of what is said of them."""
        first = marks.TERM.match(line)
        if first is None:
            return None
        marker = first.group(2)
        entered = self.enter(marker)
        last, below = index, index
        while below < len(self.source):
            line = self.source[below]
            term = marks.TERM.match(line) if line else None
            if not line or below in self.source.gone or line.startswith("[["):
                below += 1
            elif term is not None and term.group(2) == marker:
                last, below = below, below + 1
                if term[3]:
                    below, shown = self._gather(last, term[3])
                shown_term = f"{self.inline.shown(term[1])}: {self.out[last]}".removesuffix(": ")
                self.out[last] = line[: len(line) - len(line.lstrip())] + shown_term
                if term[3]:
                    last = shown[-1]
                    break
            elif self.source.ends_paragraph(below, in_list=True) or self.source.title_at(below):
                break
            else:
                below, shown = self._gather(below)
                last = shown[-1]
                break
        entered.item = self.add(BlockKind.ITEM, index, last, entered.lead)
        return below

    def _gather(self, first: int, said: str | None = None) -> tuple[int, list[int]]:
        """Shows the paragraph that begins on line `first`, with `said`: the line below it, and its
        lines.
        """
        below, own = self.source.paragraph(first, in_list=bool(self.lists))
        self.show(own, said)
        return below, own

    def read_paragraph(self, index: int, line: str) -> int:
        indented = line[0] in " \t"
        self.begin(indented=indented)
        if self._is_verbatim or (indented and not self._style):
            below = self.source.up_to_blank(index)
            self._code(index, below - 1)
            return below
        below, own = self._gather(index)
        named = marks.ADMONITION.match(line) or self._style in (*marks.ADMONITIONS, "quote")
        number = self.add(BlockKind.NOTE if named else self.prose, index, own[-1])
        self._forget()
        if self.out[own[-1]].endswith(":"):
            self.opens = number
        return below

    def _forget(self) -> None:
        self._style = self._attributes = ""
        self.opens = self.named_at = None


_ABOVE_BLOCKS = (
    _Walk.read_comment,
    _Walk.read_attribute,
    _Walk.read_styled,
    _Walk.read_section,
    _Walk.read_author,
    _Walk.read_titled,
)
_BLOCKS = (
    _Walk.read_continue,
    _Walk.read_delimited,
    _Walk.read_table,
    _Walk.read_unseen,
    _Walk.read_item,
    _Walk.read_definition,
    _Walk.read_paragraph,
)
