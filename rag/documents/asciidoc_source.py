"""The lines of an AsciiDoc document, without the directives to what reads it."""

from __future__ import annotations

from dataclasses import dataclass, field

from rag.documents import asciidoc_lines as marks


@dataclass(slots=True)
class SourceLines:
    """`gone` are the numbers of the lines that are as if they were not there; `titles` what the
    document's anchors are called: the heading below them, or their own text.
    """

    lines: list[str]
    gone: set[int] = field(default_factory=set)
    titles: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = [self._conditional(index, line) for index, line in enumerate(self.lines)]
        for index, line in enumerate(self.lines):
            anchor = marks.ANCHOR.match(line) if line.startswith("[") else None
            if anchor is not None:
                name, own = anchor.group(1) or anchor.group(3), anchor.group(2)
                title = own or self.title_at(index + 1)
                if title:
                    self.titles.setdefault(name, title)

    def _conditional(self, index: int, line: str) -> str:
        """The line as it is where every condition holds and no other file is read."""
        line = line.rstrip()
        directive = marks.DIRECTIVE.match(line) if "::" in line else None
        if directive is None:
            return line
        escaped, name, content = directive.groups()
        if escaped:
            return line[1:]
        if name in ("ifdef", "ifndef") and content:
            return str(content)
        self.gone.add(index)
        return ""

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, index: int) -> str:
        """The line, without the spaces at its end; an empty one beyond the last."""
        return self.lines[index] if index < len(self.lines) else ""

    def title_at(self, index: int) -> str | None:
        """What the heading that begins on this line says."""
        section = marks.SECTION.match(self[index])
        if section is not None:
            return section.group(2)
        return self[index] if marks.underlined_level(self[index], self[index + 1]) else None

    def closing(self, index: int, delimiter: str) -> int | None:
        """The next line below this one that is the delimiter."""
        below = range(index + 1, len(self))
        return next((number for number in below if self.lines[number] == delimiter), None)

    def ends_paragraph(self, index: int, *, in_list: bool) -> bool:
        """Whether a line with anything on it is no part of the paragraph above it."""
        line = self.lines[index]
        if line == "+" or marks.DELIMITER.match(line) or marks.TABLE.match(line):
            return True
        if line[0] == "[" and marks.STYLE_LINE.match(line):
            return True
        return in_list and bool(marks.list_marker(line) or marks.TERM.match(line))

    def paragraph(self, first: int, *, in_list: bool) -> tuple[int, list[int]]:
        """The line below the paragraph that begins on line `first`, and its lines, no comments."""
        index, own = first + 1, [first]
        while index < len(self):
            line = self.lines[index]
            if index not in self.gone and not line.startswith("//"):
                if not line or self.ends_paragraph(index, in_list=in_list):
                    break
                own.append(index)
            index += 1
        return index, own

    def up_to_blank(self, first: int) -> int:
        """The line below what is read as it stands."""
        index = first + 1
        while index < len(self) and (index in self.gone or self[index] not in ("", "+")):
            index += 1
        return index

    def continued(self, index: int, value: str) -> tuple[int, str]:
        """The last line of an attribute's value that begins on this line, and the whole value."""
        values = [value]
        while values[-1].endswith(" \\") and index + 1 < len(self):
            index += 1
            values.append(self[index].strip())
        return index, " ".join(each.removesuffix(" \\").rstrip(" +") for each in values)
