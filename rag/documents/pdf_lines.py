"""Tells by fonts and gaps what the lines of a PDF page are: larger or bold ones are headings,
monospaced ones code, and a wider gap than between lines begins a paragraph.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import groupby, pairwise
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

BROKEN = "\ufffe"
"""What PDFium writes for a hyphen that ends a line within a word."""
BOLD, CODE = "bold", "code"
_NAME_BYTES = 256
_STYLES = {
    CODE: re.compile(r"mono|courier|consol|typewriter|menlo|\b(?:cm|sf)tt", re.IGNORECASE),
    BOLD: re.compile(r"bold|black|heavy|demi|-medi\b|\b(?:cm|sf)bx", re.IGNORECASE),
}
_LEVELS = ((1.8, 1), (1.4, 2), (1.2, 3), (1.15, 4))
"""How many times larger than most text a heading is, and its level."""
_BOLD_LEVEL = 5
"""The level of a bold heading as large as the text."""
_MOST_LINES, _MOST_CHARACTERS = 3, 150
"""The longest heading: what is set so for longer is text."""
_BODY_SHARE = 0.3
"""The least share of all characters that the text's font has."""
_APART = 1.35
"""Paragraphs lie at least so many times the usual distance of lines apart."""
_WIDTH = 0.6
"""The width of a monospaced character, in font sizes."""
_SPACE = 0.15
"""The least width of a space, in font sizes."""
_DEEPEST = 60
_SET = re.compile(r"\S(?:[^\r\n]*\S)?")
_BULLETS = dict.fromkeys(map(ord, "\uf0a7\uf0b7\uf0d8\uf0fc\uf076"), "\u2022")
"""Bullets of Word's symbol fonts."""
_NUMBER = re.compile(r"^(?:[A-Z]|[\d.]+)[.)]?\s+")
_LETTERS = 0.75
"""The least share of letters and spaces behind a title's number: formulas have fewer."""


class Font(NamedTuple):
    """`size` in points; `style` is BOLD, CODE or ""."""

    size: float
    style: str


class Line(NamedTuple):
    """Where its first word begins (`left`, `top`) and its last one (`right`, `bottom`), in points:
    one broken at its end goes on below. `apart`: whether there is a gap above it.
    """

    text: str
    font: Font
    left: float
    top: float
    right: float
    bottom: float
    apart: bool = True


def page_lines(page: PdfPage) -> list[Line]:
    """The lines of a page, each in the font of most of its words. Where a word was broken at a
    line's end there is BROKEN, and the line goes on.
    """
    found: list[Line] = []
    ends = 0
    with closing(page.get_textpage()) as textpage:
        for line in _SET.finditer(textpage.get_text_range()):
            starts = (line.start() + word.start() for word in re.finditer(r"\S+", line[0]))
            words = [_set(textpage, at) for at in starts]
            (font, _), *others = Counter(font for font, _, _ in words).most_common()
            if any(other.style != font.style for other, _ in others):
                font = font._replace(style="")
            (_, left, top), (_, right, bottom) = words[0], words[-1]
            text = line[0].translate(_BULLETS)
            # A line ends behind a raised number, too: what is set beside that goes on.
            above = found[-1] if found else None
            if above and abs(top - above.bottom) < font.size / 2 and left > above.right:
                is_apart = left - _end(textpage, ends) > _SPACE * font.size
                text, font, left, top = f"{above.text}{' ' * is_apart}{text}", *above[1:4]
                found.pop()
            found.append(Line(text, font, left, top, right, bottom))
            ends = line.end() - 1
    return _spaced(found)


def _set(textpage: PdfTextPage, at: int) -> tuple[Font, float, float]:
    """How the word that begins at `at` in the text is set, and where on the page, in points."""
    from pypdfium2 import raw

    at = raw.FPDFText_GetCharIndexFromTextIndex(textpage, at)
    called, matrix = ctypes.create_string_buffer(_NAME_BYTES), raw.FS_MATRIX()
    left, up = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetFontInfo(textpage, at, called, _NAME_BYTES, None)
    raw.FPDFText_GetMatrix(textpage, at, matrix)
    raw.FPDFText_GetCharOrigin(textpage, at, left, up)
    is_level = abs(matrix.b) < abs(matrix.a)  # a line across is no heading
    size = raw.FPDFText_GetFontSize(textpage, at) * hypot(matrix.c, matrix.d) * is_level
    name = called.value.decode("utf-8", "replace")
    style = next((style for style, names in _STYLES.items() if names.search(name)), "")
    return Font(round(size, 1), style), left.value, up.value


def _end(textpage: PdfTextPage, at: int) -> float:
    """Where the character at `at` in the text ends on the page, in points."""
    from pypdfium2 import raw

    at = raw.FPDFText_GetCharIndexFromTextIndex(textpage, at)
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    raw.FPDFText_GetCharBox(textpage, at, left, right, bottom, top)
    return right.value


def _spaced(lines: list[Line]) -> list[Line]:
    """The lines, those that lie as close as most do below another no longer apart."""
    steps = [
        (above.bottom - line.top) / (max(above.font.size, line.font.size) or 1.0)
        for above, line in pairwise(lines)
    ]
    down = sorted(step for step in steps if step > 0)
    usual = max(down[len(down) // 4], 1.0) if down else 1.0
    return lines[:1] + [
        line._replace(apart=step > _APART * usual)
        for line, step in zip(lines[1:], steps, strict=True)
    ]


def body_font(types: Counter[Font]) -> Font:
    """The font of a document's text; size 0 where each line has its own, as after OCR."""
    body, count = max(types.items(), key=lambda each: each[1], default=(Font(0.0, ""), 0))
    return body if count > _BODY_SHARE * types.total() else body._replace(size=0.0)


def page_text(lines: Iterable[Line], body: Font) -> str:
    """The page as Markdown: headings, fenced code, a blank line between paragraphs. `body`: the
    font of the document's text.
    """
    shown: list[str] = []
    for (level, style), group in groupby(lines, lambda line: _kind(line, body)):
        if style == CODE:
            shown += _code([*group])
            continue
        for own in _paragraphs(group, joined=level > 0):
            title = " ".join(line.text.strip() for line in own)
            if level and _is_heading(title, own, level):
                shown.append(f"{'#' * level} {title}")
            else:
                shown += [*[""] * own[0].apart, *(line.text for line in own)]
    return "\n".join(shown)


def _kind(line: Line, body: Font) -> tuple[int, str]:
    """The level of a heading or 0, and CODE for a line of code, or one that begins with "#"."""
    own = line.font
    style = "" if own.style == body.style else own.style
    if style == CODE or line.text.startswith("#"):
        return 0, CODE
    larger = (level for times, level in _LEVELS if own.size >= times * body.size > 0)
    return next(larger, 0) or (_BOLD_LEVEL if style == BOLD and own.size >= body.size else 0), ""


def _code(lines: Sequence[Line]) -> Iterator[str]:
    """The lines in a fence, indented as on the page."""
    edge = min(line.left for line in lines)
    yield "```"
    for number, line in enumerate(lines):
        if number and line.apart:
            yield ""
        columns = (line.left - edge) / (_WIDTH * line.font.size or 1.0)
        yield " " * (round(columns) if 0 < columns < _DEEPEST else 0) + line.text
    yield "```"


def _paragraphs(lines: Iterable[Line], *, joined: bool) -> list[list[Line]]:
    """The lines by paragraphs. `joined`: they are of headings, where a line that begins with a
    small letter goes on.
    """
    found: list[list[Line]] = []
    for line in lines:
        goes_on = joined and line.text[:1].islower()
        if not found or (line.apart and not goes_on):
            found.append([])
        found[-1].append(line)
    return found


def _is_heading(title: str, lines: Sequence[Line], level: int) -> bool:
    if len(lines) > _MOST_LINES or len(title) > _MOST_CHARACTERS:
        return False
    if level == _BOLD_LEVEL and (not lines[0].apart or title.endswith(tuple(".,;:"))):
        return False
    said = _NUMBER.sub("", title)
    return len(said) > 1 and sum(c.isalpha() or c == " " for c in said) >= _LETTERS * len(said)
