"""What a terminal shows: enough of one for crag's own output, as rows of styled runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(r"\x1b\[(?P<private>\??)(?P<numbers>[\d;]*)(?P<final>[A-Za-z])|\x1b.|(?s:.)")
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


@dataclass(frozen=True, slots=True)
class Style:
    """`colour` is one of the sixteen: a name, or "bright" and a name; None is the usual."""

    colour: str | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False


@dataclass(slots=True)
class Screen:
    """As high as needed: nothing scrolls away. Rows hold a character and its style a cell."""

    columns: int
    rows: list[list[tuple[str, Style]]] = field(default_factory=lambda: [[]])
    row: int = 0
    column: int = 0
    style: Style = field(default_factory=Style)

    def feed(self, output: str) -> None:
        for token in _TOKEN.finditer(output):
            if token["final"] and not token["private"]:
                numbers = [int(number or 0) for number in token["numbers"].split(";")]
                self._control(token["final"], numbers)
            elif len(token[0]) == 1:
                self._character(token[0])

    def runs(self) -> list[list[tuple[str, Style]]]:
        """Each row as runs of one style, without blanks at its end, without blank last rows."""
        shown = [self._runs(row) for row in self.rows]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    @property
    def text(self) -> str:
        return "\n".join("".join(text for text, _ in row) for row in self.runs())

    def _runs(self, row: list[tuple[str, Style]]) -> list[tuple[str, Style]]:
        runs: list[tuple[str, Style]] = []
        for character, style in row:
            if runs and runs[-1][1] == style:
                runs[-1] = (runs[-1][0] + character, style)
            else:
                runs.append((character, style))
        while runs and not runs[-1][0].strip():
            runs.pop()
        return [*runs[:-1], (runs[-1][0].rstrip(), runs[-1][1])] if runs else []

    def _character(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._down(1)
        elif character == "\b":
            self.column = max(self.column - 1, 0)
        elif character.isprintable():
            if self.column >= self.columns:
                self._down(1)
                self.column = 0
            row = self.rows[self.row]
            row.extend([(" ", Style())] * (self.column + 1 - len(row)))
            row[self.column] = (character, self.style)
            self.column += 1

    def _down(self, rows: int) -> None:
        self.row += rows
        self.rows.extend([] for _ in range(self.row + 1 - len(self.rows)))

    def _control(self, final: str, numbers: list[int]) -> None:
        count = max(numbers[0], 1)
        match final:
            case "A":
                self.row = max(self.row - count, 0)
            case "B":
                self._down(count)
            case "C":
                self.column = min(self.column + count, self.columns - 1)
            case "D":
                self.column = max(self.column - count, 0)
            case "G":
                self.column = count - 1
            case "J":
                del self.rows[self.row][self.column :]
                del self.rows[self.row + 1 :]
            case "K":
                row = self.rows[self.row]
                row[:] = [] if numbers[0] == 2 else row[: self.column]
            case "m":
                self._paint(numbers)

    def _paint(self, numbers: list[int]) -> None:
        old = self.style
        for number in numbers:
            if number == 0:
                old = Style()
            elif number in (1, 2, 3):
                old = Style(
                    old.colour,
                    bold=old.bold or number == 1,
                    dim=old.dim or number == 2,
                    italic=old.italic or number == 3,
                )
            elif number in (22, 39):
                keep = old.colour if number == 22 else None
                old = Style(keep, bold=old.bold and number != 22, dim=old.dim and number != 22)
            elif number // 10 in (3, 9) and number % 10 < 8:
                bright = "bright " if number // 10 == 9 else ""
                old = Style(bright + _COLOURS[number % 10], old.bold, old.dim, old.italic)
        self.style = old
