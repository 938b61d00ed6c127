"""Tells by fonts and gaps what the lines of a PDF page are: larger or bold ones are headings,
monospaced ones code, and a wider gap than between lines begins a paragraph.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

BOLD, CODE = "bold", "code"
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
_DEEPEST = 60
_BULLETS = dict.fromkeys(map(ord, "\uf0a7\uf0b7\uf0d8\uf0fc\uf076"), "\u2022")
"""Bullets of Word's symbol fonts."""
_NUMBER = re.compile(r"^(?:[A-Z]|[\d.]+)[.)]?\s+")
_LETTERS = 0.75
"""The least share of letters and spaces behind a title's number: formulas have fewer."""


class Font(NamedTuple):
    """`size` in points; `style` is BOLD, CODE or ""."""

    size: float
    style: str


class TextRun(NamedTuple):
    """Text drawn in one go, or a line of it; `left` and `up`: its place on the page in points;
    `apart`: whether it is a line with a gap above it.
    """

    text: str
    font: Font
    left: float
    up: float
    apart: bool = False


@lru_cache(maxsize=256)
def font_style(font: str) -> str:
    """BOLD, CODE or "", by the font's name."""
    return next((style for style, names in _STYLES.items() if names.search(font)), "")


def count_fonts(runs: Iterable[TextRun]) -> Counter[Font]:
    """How many characters are set in which font."""
    types: Counter[Font] = Counter()
    for run in runs:
        types[run.font] += len(run.text.strip())
    return types


def body_font(types: Counter[Font]) -> Font:
    """The font of a document's text; size 0 where each line has its own, as after OCR."""
    body, count = max(types.items(), key=lambda each: each[1], default=(Font(0.0, ""), 0))
    return body if count > _BODY_SHARE * types.total() else body._replace(size=0.0)


def page_text(runs: Iterable[TextRun], body: Font) -> str:
    """The page as Markdown: headings, fenced code, a blank line between paragraphs. `body`: the
    font of the document's text.
    """
    shown: list[str] = []
    for (level, style), group in groupby(_lines(runs), lambda line: _kind(line, body)):
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


def _lines(runs: Iterable[TextRun]) -> list[TextRun]:
    """The lines, each in the font of most of its text; the first of a page stands apart."""
    parts: list[list[TextRun]] = [[]]
    for run in runs:
        for number, text in enumerate(run.text.split("\n")):
            if number:
                parts.append([])
            parts[-1].append(run._replace(text=text))
    found: list[TextRun] = []
    gap = True
    for own in parts:
        if said := [run for run in own if run.text.strip()]:
            ((size, style), _), *others = count_fonts(said).most_common()
            text = "".join(run.text for run in own).rstrip().translate(_BULLETS)
            set_in = Font(size, "" if any(other.style != style for other, _ in others) else style)
            found.append(TextRun(text, set_in, said[0].left, said[0].up, gap))
        gap = not said
    steps = [
        (above.up - line.up) / (max(above.font.size, line.font.size) or 1.0)
        for above, line in pairwise(found)
    ]
    down = sorted(step for step in steps if step > 0)
    usual = max(down[len(down) // 4], 1.0) if down else 1.0
    return found[:1] + [
        line._replace(apart=line.apart or step > _APART * usual)
        for line, step in zip(found[1:], steps, strict=True)
    ]


def _kind(line: TextRun, body: Font) -> tuple[int, str]:
    """The level of a heading or 0, and CODE for a line of code, or one that begins with "#"."""
    own = line.font
    style = "" if own.style == body.style else own.style
    if style == CODE or line.text.startswith("#"):
        return 0, CODE
    larger = (level for times, level in _LEVELS if own.size >= times * body.size > 0)
    return next(larger, 0) or (_BOLD_LEVEL if style == BOLD and own.size >= body.size else 0), ""


def _code(lines: Sequence[TextRun]) -> Iterator[str]:
    """The lines in a fence, indented as on the page."""
    edge = min(line.left for line in lines)
    yield "```"
    for number, line in enumerate(lines):
        if number and line.apart:
            yield ""
        columns = (line.left - edge) / (_WIDTH * line.font.size or 1.0)
        yield " " * (round(columns) if 0 < columns < _DEEPEST else 0) + line.text
    yield "```"


def _paragraphs(lines: Iterable[TextRun], *, joined: bool) -> list[list[TextRun]]:
    """The lines by paragraphs. `joined`: they are of headings, where a line that begins with a
    small letter goes on.
    """
    found: list[list[TextRun]] = []
    for line in lines:
        goes_on = joined and line.text[:1].islower()
        if not found or (line.apart and not goes_on):
            found.append([])
        found[-1].append(line)
    return found


def _is_heading(title: str, lines: Sequence[TextRun], level: int) -> bool:
    if len(lines) > _MOST_LINES or len(title) > _MOST_CHARACTERS:
        return False
    if level == _BOLD_LEVEL and (not lines[0].apart or title.endswith(tuple(".,;:"))):
        return False
    said = _NUMBER.sub("", title)
    return len(said) > 1 and sum(c.isalpha() or c == " " for c in said) >= _LETTERS * len(said)
